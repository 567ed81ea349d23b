{# a key as findings have it, of values as texts #}
{% macro key_text_sql(values, kinds) -%}
select to_json(struct(
    {%- for name, text in values.items() %}
    cast({{ lakemirror_string(text) }} as {{ kinds[name] }}) as {{ quoted(name) }}{{ ',' if not loop.last }}
    {%- endfor %}
)) as unique_key
{%- endmacro %}
