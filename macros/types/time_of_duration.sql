{# a TIME has no months, whose length would not be known #}
{% macro time_of_duration(value, type) -%}
if(
    {{ value }}.nanos % 1000 = 0 and coalesce({{ value }}.years, 0) = 0
    and coalesce({{ value }}.months, 0) = 0,
    (
        ((coalesce({{ value }}.days, 0) * 24 + {{ value }}.hours) * 60 + {{ value }}.minutes) * 60
        + {{ value }}.seconds
    ) * 1000000L
    + {{ value }}.nanos div 1000,
    null
)
{%- endmacro %}
