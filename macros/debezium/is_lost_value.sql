{% macro is_lost_value(value, column) -%}
    {%- if column.older -%}
        case
            {%- for old in column.older %}
            when {{ is_before(old.until) | indent(12) }} then
                {% if old.type is none -%}
                false
                {%- elif old.is_lost -%}
                {{ older_value(value, column, old) | indent(16) }} is not null
                {%- elif old.type.lake == column.type.lake -%}
                {{ is_lost(older_value(value, column, old), old.type) | indent(16) }}
                {%- else -%}
                {{ decoded_value(value, column) | indent(16) }} is null
                and {{ older_value(value, column, old) | indent(16) }} is not null
                {%- endif %}
            {%- endfor %}
            else {{ is_lost(value, column.type) | indent(12) }}
        end
    {%- else -%}
        {{ is_lost(value, column.type) }}
    {%- endif -%}
{%- endmacro %}
