{% macro is_lost_value(value, column) -%}
    {%- if column.older -%}
        case
            {%- for old in column.older %}
            when {{ is_before(old.until) | indent(12) }} then
                {% if old.type.lake == column.type.lake -%}
                {{ is_lost(value, old.type) | indent(16) }}
                {%- else -%}
                {{ decoded_value(value, column) | indent(16) }} is null and {{ value }} is not null
                {%- endif %}
            {%- endfor %}
            else {{ is_lost(value, column.type) | indent(12) }}
        end
    {%- else -%}
        {{ is_lost(value, column.type) }}
    {%- endif -%}
{%- endmacro %}
