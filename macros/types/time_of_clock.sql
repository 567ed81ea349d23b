{% macro time_of_clock(value, type) -%}
if(
    {{ value }}.nanos % 1000 = 0,
    (({{ value }}.hour * 60 + {{ value }}.minute) * 60 + {{ value }}.second) * 1000000L
    + {{ value }}.nanos div 1000,
    null
)
{%- endmacro %}
