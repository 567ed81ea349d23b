{# dbt run-operation rebucket --args '{model: mirror_shop__orders}'; the mirror last: until it is done, each
   run of the model says that it is to be done #}
{% macro rebucket(model) %}
    {%- set node = nodes_of('mirror', model, 'rebucket') | first -%}
    {%- set settings = mirror_settings(node.config, node.name) -%}
    {%- set mirror = mirror_of(node) -%}
    {%- if load_relation(mirror) is none -%}
        {%- do exceptions.raise_compiler_error('rebucket: ' ~ node.name ~ ' has no table yet') -%}
    {%- endif -%}
    {%- do settings.update(bucket_by=find_bucket_by(mirror, settings)) -%}
    {%- for table in [tombstones_of(mirror), mirror] -%}
        {%- set there = adapter.described(table) -%}
        {%- if not adapter.has_buckets(there, settings.buckets, settings.bucket_by) -%}
            {%- do adapter.execute_until_committed(rebucket_sql(
                table, there.partitioning, settings.buckets, settings.bucket_by
            )) -%}
        {%- endif -%}
        {%- do log(node.name ~ ': rewriting ' ~ table, info=true) -%}
        {%- do run_query(rewrite_sql(table)) -%}
    {%- endfor -%}
    {%- do log(node.name ~ ': its table has the buckets of its configuration', info=true) -%}
{% endmacro %}
