{# the text is compared: a cast alone would round #}
{% macro decimal_of_text(value, type) -%}
{%- set number = 'try_cast(' ~ value ~ ' as ' ~ type.lake ~ ')' -%}
if(
    cast({{ number }} as string) = {{ value }}
    or {{ value }} rlike '^[+-]?[0-9]+([.][0-9]{0,{{ type.scale }}}0*)?$',
    {{ number }},
    null
)
{%- endmacro %}
