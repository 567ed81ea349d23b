{% macro records_at_sql(records, places) -%}
select
    _kfk_partition,
    _kfk_offset,
    _kfk_topic,
    key,
    value,
    cast(_src_ts as string) as src_ts
from {{ records }}
where
    {%- for partition, offset in places %}
    {{ 'or ' if not loop.first }}(_kfk_partition = {{ partition }} and _kfk_offset = {{ offset }})
    {%- endfor %}
{%- endmacro %}
