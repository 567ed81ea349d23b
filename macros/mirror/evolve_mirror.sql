{# returns what the rows that are there need with the batch #}
{% macro evolve_mirror(target, tombstones, batch, evolution) %}
    {%- do evolve(tombstones, evolution.tombstones, model.name) -%}
    {%- if batch.is_rebuild -%}
        {{ return([]) }}
    {%- endif -%}
    {%- do evolve(target, evolution.mirror, model.name) -%}
    {{ return(columns_to_fill(target, batch.previous, evolution.defaults)) }}
{% endmacro %}
