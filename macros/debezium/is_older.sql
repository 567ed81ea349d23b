{# whether an event is whole, and from when a column had another type in JSON: from_json calls it corrupt #}
{% macro is_older(columns) -%}
{%- set found = [] -%}
{%- for column in columns -%}
    {%- for old in column.older if old.type is none or old.type.json != column.type.json -%}
        {%- do found.append(is_before(old.until)) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if found -%}
    ({{ found | join(' or ') }}) and try_parse_json(event_text) is not null
{%- endif -%}
{%- endmacro %}
