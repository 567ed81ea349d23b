{# the text is compared: a cast alone would round. Java writes a small one as 0E-8, or 1.5E-7 #}
{% macro decimal_of_text(value, type) -%}
{%- set number = 'try_cast(' ~ value ~ ' as ' ~ type.lake ~ ')' -%}
{%- set exponent = 'try_cast(split_part(' ~ value ~ ", 'E', 2) as smallint)" -%}
{%- set digits = "rtrim('0', split_part(split_part(" ~ value ~ ", 'E', 1), '.', 2))" -%}
if(
    cast({{ number }} as string) = {{ value }}
    or {{ value }} rlike '^[+-]?([0-9]+([.][0-9]{0,{{ type.scale }}}0*)?|0([.]0+)?E[+-]?[0-9]+)$'
    or (
        {{ value }} rlike '^[+-]?[0-9]([.][0-9]+)?E[+-]?[0-9]+$'
        and length({{ digits }}) - {{ exponent }} <= {{ type.scale }}
    ),
    {{ number }},
    null
)
{%- endmacro %}
