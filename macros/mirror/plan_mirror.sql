{# a rebuilt mirror's tombstones stay while the key does #}
{% macro plan_mirror(target, tombstones, batch, settings) %}
    {%- do refuse_key(batch, settings.key, model.name) -%}
    {%- set mirror = plan_evolution(
        target, batch, soft_columns(settings.deletes), settings, model.name
    ) -%}
    {%- set remembered = adapter.plan_evolution(
        query_columns('select * from ' ~ tombstones),
        batch.columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        [],
        {'key': settings.key},
        batch.raw
    ) -%}
    {%- if batch.is_rebuild and (remembered.problems or remembered.fitted or remembered.added) -%}
        {#- raw has the deletes: a rebuild remembers them by the new key -#}
        {%- do run_query(create_tombstones_sql(
            tombstones, batch.columns, settings, 'create or replace table'
        )) -%}
        {%- do remembered.update(statements=[], lines=[]) -%}
    {%- endif -%}
    {%- set defaults = default_values(
        batch.raw, mirror.added if batch.previous else mirror.names, model.name
    ) -%}
    {%- set defaulted = [] -%}
    {%- for name in defaults if name in mirror.places -%}
        {%- do defaulted.append(mirror.places[name]) -%}
    {%- endfor -%}
    {{ return({
        'mirror': mirror,
        'tombstones': remembered,
        'defaults': defaults,
        'returned': adapter.returned_columns(batch.raw),
        'incomparable': mirror.fitted | map(attribute='name') | list + defaulted,
    }) }}
{% endmacro %}
