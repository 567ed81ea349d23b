{# a float has at most 9 digits: a number of more comes from a wider type #}
{% macro float_of_double(value, type) -%}
if(
    cast(cast({{ value }} as float) as double) = {{ value }}
    or (
        length(translate(ltrim('-0.', substring_index(cast({{ value }} as string), 'E', 1)), '.', '')) <= 9
        and abs({{ value }}) < 3.4028236E38D
        and cast({{ value }} as float) <> 0
    ),
    cast({{ value }} as float),
    null
)
{%- endmacro %}
