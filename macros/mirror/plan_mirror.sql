{% macro plan_mirror(target, tombstones, batch, settings) %}
    {%- do refuse_key(batch, settings.key, model.name) -%}
    {%- set mirror = plan_evolution(
        target, batch, soft_columns(settings.deletes), settings, model.name
    ) -%}
    {%- set remembered = adapter.plan_evolution(
        columns_of_query('select * from ' ~ tombstones),
        batch.columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        [],
        {'key': settings.key},
        batch.raw
    ) -%}
    {%- set defaults = default_values(
        batch.raw, mirror.added if batch.previous else mirror.names, model.name
    ) -%}
    {%- set returned = adapter.returned_columns(batch.raw) -%}
    {%- set others = defaults.keys() | list
        + unrenewed(returned, batch.previous) | map(attribute='name') | list -%}
    {%- set incomparable = mirror.fitted | map(attribute='name') | list + mirror.added + mirror.renamed -%}
    {%- for name in others if name in mirror.places -%}
        {%- do incomparable.append(mirror.places[name]) -%}
    {%- endfor -%}
    {{ return({
        'mirror': mirror,
        'tombstones': remembered,
        'has_new_key': batch.is_rebuild
            and (remembered.problems + remembered.fitted + remembered.added) | length > 0,
        'defaults': defaults,
        'returned': returned,
        'incomparable': incomparable,
    }) }}
{% endmacro %}
