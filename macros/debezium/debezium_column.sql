{% macro debezium_column(column) -%}
{%- set value = source_value(column) -%}
{%- set missing = is_unavailable(value, column) | trim -%}
{%- set typed = decoded_value(value, column) -%}
{%- set found = converted('if(' ~ missing ~ ', null, ' ~ typed ~ ')' if missing else typed, column) -%}
{%- if column.default -%}
    coalesce(
        {{ found }},
        if(
            {{ is_absent([column.name] + column.former) | indent(12) }}
            {%- for old in column.older if old.type is none %}
            or {{ is_before(old.until) | indent(12) }}
            {%- endfor %},
            {{ default_value(column) | indent(12) }},
            null
        )
    )
{%- else -%}
    {{ found }}
{%- endif -%}
{%- endmacro %}
