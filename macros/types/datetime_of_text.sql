{% macro datetime_of_text(value, type) -%}
if(
    {{ value }} rlike
    '^[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6}0*)?Z?$',
    try_cast(rtrim('Z', {{ value }}) as timestamp_ntz),
    null
)
{%- endmacro %}
