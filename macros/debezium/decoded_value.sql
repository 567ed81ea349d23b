{# older events may have it in another unit, or with another scale; null where there is no room #}
{% macro decoded_value(value, column) -%}
    {%- if column.older -%}
        case
            {%- for old in column.older %}
            when {{ is_before(old.until) | indent(12) }}
                then try_cast({{ decoded(value, old.type) | indent(16) }} as {{ column.type.lake }})
            {%- endfor %}
            else {{ decoded(value, column.type) | indent(12) }}
        end
    {%- else -%}
        {{ decoded(value, column.type) }}
    {%- endif -%}
{%- endmacro %}
