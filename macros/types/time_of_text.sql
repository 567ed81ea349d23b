{% macro time_of_text(value, type) -%}
if(
    {{ value }} rlike '^-?[0-9]{1,6}:[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6}0*)?Z?$',
    if({{ value }} like '-%', -1, 1) * (
        cast(split_part(ltrim('-', {{ value }}), ':', 1) as bigint) * 3600000000
        + cast(split_part({{ value }}, ':', 2) as bigint) * 60000000
        + cast(
            cast(rtrim('Z', split_part({{ value }}, ':', 3)) as decimal(8, 6)) * 1000000
            as bigint
        )
    ),
    null
)
{%- endmacro %}
