{% macro by_age(column) -%}
{%- if column.older -%}
    case
        {%- for old in column.older %}
        when {{ is_before(old.until) | indent(8) }} then
            {{ caller(old) | indent(12) }}
        {%- endfor %}
        else {{ caller(none) | indent(8) }}
    end
{%- else -%}
    {{ caller(none) }}
{%- endif -%}
{%- endmacro %}
