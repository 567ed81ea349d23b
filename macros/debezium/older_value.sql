{% macro older_value(value, column, old) -%}
{%- if old.type.json == column.type.json -%}
    {{ value }}
{%- else -%}
    coalesce(
        {%- for name in [column.name] + column.former %}
        {{ value_in_other_case(name, old.type.json) | indent(8) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )
{%- endif -%}
{%- endmacro %}
