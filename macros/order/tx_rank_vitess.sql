{% macro tx_rank_vitess() -%}
event.source.shard as _tx_log,
{{ configured_epoch('event.transaction.transaction_epoch', 'event.source.shard') }} as _tx_epoch,
coalesce(
    {{ gtid_count(shard_gtid('event.source.vgtid', 'event.source.shard')) }},
    {{ rank_number('event.transaction.transaction_rank') }}
) as _tx_rank,
if(event.source.ts_ms = 0, -1L, event.transaction.total_order) as _tx_order
{%- endmacro %}
