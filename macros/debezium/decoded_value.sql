{# older events may have it in another unit, with another scale, of another type, or a former column by its
   name; null where there is no room #}
{% macro decoded_value(value, column) -%}
    {%- if column.older -%}
        case
            {%- for old in column.older %}
            when {{ is_before(old.until) | indent(12) }} then
                {% if old.type is none or old.is_lost -%}
                null
                {%- else -%}
                try_cast(
                    {{ decoded(older_value(value, column, old), old.type) | indent(20) }}
                    as {{ column.type.lake }}
                )
                {%- endif %}
            {%- endfor %}
            else {{ decoded(value, column.type) | indent(12) }}
        end
    {%- else -%}
        {{ decoded(value, column.type) }}
    {%- endif -%}
{%- endmacro %}
