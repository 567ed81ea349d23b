{% macro is_lost_value(value, column) -%}
    {%- call(old) by_age(column) -%}
        {%- if old is none -%}
            {{ is_lost(value, column.type) }}
        {%- elif old.type is none -%}
            false
        {%- elif old.is_lost -%}
            {{ older_value(value, column, old) }} is not null
        {%- elif old.type.lake == column.type.lake -%}
            {{ is_lost(older_value(value, column, old), old.type) }}
        {%- else -%}
            {{ decoded_value(value, column) }} is null and {{ older_value(value, column, old) }} is not null
        {%- endif -%}
    {%- endcall -%}
{%- endmacro %}
