{# older events may have it in another unit, with another scale, of another type, or a former column by its
   name; null where there is no room #}
{% macro decoded_value(value, column) -%}
{%- call(old) by_age(column) -%}
    {%- if old is none -%}
        {{ decoded(value, column.type) }}
    {%- elif old.type is none or old.is_lost -%}
        null
    {%- else -%}
        try_cast({{ decoded(older_value(value, column, old), old.type) }} as {{ column.type.lake }})
    {%- endif -%}
{%- endcall -%}
{%- endmacro %}
