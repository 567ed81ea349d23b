{# the tombstones first: where there is a mirror, there are its tombstones #}
{% macro create_mirror(target, batch, settings) %}
    {%- set columns = batch.columns -%}
    {%- set missing = settings.key | reject('in', columns | map(attribute='name') | list) | list -%}
    {%- if missing -%}
        {%- do refuse_settings(
            ['unique_key: the query has no column ' ~ missing | join(', ')], model.name
        ) -%}
    {%- endif -%}
    {%- if settings.buckets and not settings.bucket_by -%}
        {%- do settings.update(bucket_by=choose_bucket_by(batch, settings, model.name)) -%}
    {%- endif -%}
    {%- do run_query(create_tombstones_sql(tombstones_of(target), columns, settings)) -%}
    {%- do run_query(create_mirror_sql(
        target, columns + soft_columns(settings.deletes), settings
    )) -%}
{% endmacro %}
