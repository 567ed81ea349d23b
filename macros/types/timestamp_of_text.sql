{# a cast alone would drop nanoseconds, and take a time for one of today #}
{% macro timestamp_of_text(value, type) -%}
if(
    contains({{ value }}, '-')
    and not (length({{ value }}) > 27 and {{ value }} rlike '[.][0-9]{6}[0-9]*[1-9]'),
    try_cast({{ value }} as timestamp),
    null
)
{%- endmacro %}
