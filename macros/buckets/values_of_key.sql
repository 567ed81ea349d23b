{% macro values_of_key(facts, unique_key) %}
    {%- set values = {} -%}
    {%- for name in unique_key -%}
        {%- do values.update({name: facts['key_' ~ loop.index]}) -%}
    {%- endfor -%}
    {{ return(values) }}
{% endmacro %}
