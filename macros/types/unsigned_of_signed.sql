{# from half of its range on the connector's number is negative #}
{% macro unsigned_of_signed(value, type) -%}
cast(if({{ value }} < 0, {{ value }} + {{ 2 ** type.bits }}, {{ value }}) as {{ type.lake }})
{%- endmacro %}
