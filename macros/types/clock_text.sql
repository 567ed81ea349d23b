{# null where there are nanoseconds #}
{% macro clock_text(value) -%}
if(
    {{ value }}.nanos % 1000 = 0,
    format_string(
        '%02d:%02d:%02d.%06d',
        {{ value }}.hour, {{ value }}.minute, {{ value }}.second, {{ value }}.nanos div 1000
    ),
    null
)
{%- endmacro %}
