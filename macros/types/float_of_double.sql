{# a float has at most 9 digits: a number of more comes from a wider type. They are those of %e: a cast to string may
   show a double by more than it takes #}
{% macro float_of_double(value, type) -%}
if(
    cast(cast({{ value }} as float) as double) = {{ value }}
    or (
        try_cast(format_string('%.8e', {{ value }}) as double) = {{ value }}
        and abs({{ value }}) < 3.4028236E38D
        and cast({{ value }} as float) <> 0
    ),
    cast({{ value }} as float),
    null
)
{%- endmacro %}
