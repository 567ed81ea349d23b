{% macro tx_rank_mariadb() -%}
cast(nullif(event.source.server_id, 0) as string) as _tx_log,
{{ configured_epoch('0L', 'cast(event.source.server_id as string)') }} as _tx_epoch,
{{ event_place() }} as _tx_rank,
if(event.op = 'r', -1L, 2 * event.source.row + if(event.op = 'd', 0, 1)) as _tx_order
{%- endmacro %}
