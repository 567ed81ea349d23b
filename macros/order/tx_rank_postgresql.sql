{% macro tx_rank_postgresql() -%}
cast(null as string) as _tx_log,
{{ configured_epoch('0L', "''") }} as _tx_epoch,
try_cast(coalesce(
    nullif(get_json_object(event.source.sequence, '$[0]'), 'null'),
    get_json_object(event.source.sequence, '$[1]')
) as bigint) as _tx_rank,
if(
    event.op = 'r',
    -1L,
    try_cast(get_json_object(event.source.sequence, '$[1]') as bigint)
) as _tx_order
{%- endmacro %}
