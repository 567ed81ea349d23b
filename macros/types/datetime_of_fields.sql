{% macro datetime_of_fields(value, type) -%}
if(
    {{ value }}.specialValue is null,
    try_cast(
        concat({{ date_text(value) }}, ' ', {{ clock_text(value) }}) as timestamp_ntz
    ),
    null
)
{%- endmacro %}
