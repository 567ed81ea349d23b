{# a delete outdates what is older than it, and what is not a delete at its own place #}
{% macro outdates(tombstone, change) -%}
    {{ is_newer(tombstone, change) }}
    or {{ same_place(tombstone, change) }} and {{ change }}._op <> 'd'
{%- endmacro %}
