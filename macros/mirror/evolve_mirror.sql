{# returns what the rows that are there need with the batch. A rebuilt mirror's tombstones stay while
   the key does: raw has the deletes, and a rebuild remembers them by the new one #}
{% macro evolve_mirror(target, tombstones, batch, evolution, settings) %}
    {%- if evolution.has_new_key -%}
        {%- do run_query(create_tombstones_sql(
            tombstones, batch.columns, settings, 'create or replace table'
        )) -%}
    {%- else -%}
        {%- do evolve(tombstones, evolution.tombstones, model.name) -%}
    {%- endif -%}
    {%- if batch.is_rebuild -%}
        {{ return({'fills': [], 'returned': []}) }}
    {%- endif -%}
    {%- do evolve(target, evolution.mirror, model.name) -%}
    {%- set returned = returned_to_renew(
        evolution.returned,
        batch.previous,
        evolution.mirror.places,
        evolution.defaults,
        columns_of_query('select * from ' ~ target)
    ) if batch.previous and evolution.returned else [] -%}
    {%- for column in returned -%}
        {%- do log(
            model.name ~ ': ' ~ column.name ~ ' came back; rows of before get its default', info=true
        ) -%}
    {%- endfor -%}
    {{ return({
        'fills': columns_to_fill(target, batch.previous, evolution.defaults),
        'returned': returned,
    }) }}
{% endmacro %}
