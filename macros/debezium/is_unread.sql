{# whether from_json gives null for it, be it null or not; an older event is asked for an older type #}
{% macro is_unread(value, column) -%}
    {%- if column.older -%}
        case
            {%- for old in column.older %}
            when {{ is_before(old.until) | indent(12) }} then
                {{ 'false' if old.type is none else older_value(value, column, old) ~ ' is null' }}
            {%- endfor %}
            else {{ value }} is null
        end
    {%- else -%}
        {{ value }} is null
    {%- endif -%}
{%- endmacro %}
