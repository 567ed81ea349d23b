{# base64 of a positive integer, big-endian, begins with a letter #}
{% macro rank_number(rank) -%}
case
    when {{ rank }} rlike '^[0-9]+$' then try_cast({{ rank }} as bigint)
    else try_cast(conv(hex(try_to_binary({{ rank }}, 'base64')), 16, 10) as bigint)
end
{%- endmacro %}
