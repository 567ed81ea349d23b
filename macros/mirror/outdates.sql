{% macro outdates(tombstone, change) -%}
    {{ is_newer(tombstone, change) }}
    or {{ same_place(tombstone, change) }} and {{ change }}._op <> 'd'
{%- endmacro %}
