{# from 2^63 on the connector's number is negative #}
{% macro unsigned_of_signed(value, type) -%}
cast(if({{ value }} < 0, {{ value }} + 18446744073709551616, {{ value }}) as decimal(20, 0))
{%- endmacro %}
