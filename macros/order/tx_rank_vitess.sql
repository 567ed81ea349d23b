{# the connector's own rank counts only the first interval of each server: gaps make it fall #}
{% macro tx_rank_vitess() -%}
    event.transaction.transaction_epoch as _tx_epoch,
    {{ gtid_count(shard_gtid('event.source.vgtid', 'event.source.shard')) }} as _tx_rank,
    event.transaction.total_order as _tx_order
{%- endmacro %}
