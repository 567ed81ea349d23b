{# returns the statements by which rows that are there follow, with the batch; each needs its target #}
{% macro evolve_mirror(target, tombstones, batch, evolution) %}
    {%- do evolve(tombstones, evolution.tombstones, model.name) -%}
    {%- if batch.is_rebuild -%}
        {{ return({'fills': [], 'returned': []}) }}
    {%- endif -%}
    {%- do evolve(target, evolution.mirror, model.name) -%}
    {{ return({
        'fills': columns_to_fill(target, batch.previous, evolution.defaults),
        'returned': returned_to_renew(
            evolution.returned, batch.previous, evolution.mirror.places, evolution.defaults
        ) if batch.previous else [],
    }) }}
{% endmacro %}
