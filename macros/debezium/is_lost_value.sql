{% macro is_lost_value(value, column) -%}
{%- set typed = 'typed.' ~ quoted(column.name) -%}
{%- call(old) by_age(column) -%}
    {%- if old is none -%}
        {{ is_lost(typed, value, column.type) }}
    {%- elif old.type is none -%}
        false
    {%- elif old.is_lost -%}
        {{ older_value(value, column, old) }} is not null
    {%- elif old.type.lake == column.type.lake -%}
        {{ is_lost(typed, older_value(value, column, old), old.type) }}
    {%- else -%}
        {{ typed }} is null and {{ older_value(value, column, old) }} is not null
    {%- endif -%}
{%- endcall -%}
{%- endmacro %}
