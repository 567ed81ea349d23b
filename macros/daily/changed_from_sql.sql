{% macro changed_from_sql(records) -%}
    {%- for base, window in records.items() %}
    select {{ base }}L as base, min(_src_ts) as changed_from
    from {{ window }}
    {{- '\n    union all' if not loop.last }}
    {%- endfor %}
{%- endmacro %}
