{# a rebuilt mirror has no columns that it would have to keep; its tombstones stay while the key does #}
{% macro plan_mirror(target, tombstones, batch, settings) %}
    {%- set own = soft_columns(settings.deletes) -%}
    {%- do refuse_key(batch, settings.key, model.name) -%}
    {%- set mirror = adapter.plan_evolution([], batch.columns, [], settings, batch.raw)
        if batch.is_rebuild
        else plan_evolution(target, batch.columns, own, settings, batch.raw, model.name) -%}
    {%- set remembered = adapter.plan_evolution(
        query_columns('select * from ' ~ tombstones),
        batch.columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        [],
        {'key': settings.key},
        batch.raw
    ) -%}
    {%- if batch.is_rebuild and (remembered.problems or remembered.fitted or remembered.added) -%}
        {%- do run_query(replace_tombstones_sql(tombstones, batch.columns, settings)) -%}
        {%- do remembered.update(statements=[], lines=[]) -%}
    {%- endif -%}
    {%- set defaults = default_values(
        batch.raw, mirror.added if batch.previous else mirror.names, model.name
    ) -%}
    {{ return({
        'mirror': mirror,
        'tombstones': remembered,
        'defaults': defaults,
        'incomparable': mirror.fitted | map(attribute='name') | list + defaults.keys() | list,
    }) }}
{% endmacro %}
