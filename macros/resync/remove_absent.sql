{# on a branch: tombstones are harmless when the MERGE does not follow, or when another run wins #}
{% macro remove_absent(target, stage, previous, settings, snapshot, rows) %}
    {%- set tombstones = tombstones_of(target) -%}
    {%- set branch = begin_branch(target) -%}
    {%- do refuse_overtaken(target, previous, branch, model.name) -%}
    {%- set on_branch = target ~ '.branch_' ~ branch -%}
    {%- do run_query(absent_tombstones_sql(tombstones, on_branch, stage, settings.key, snapshot)) -%}
    {%- do enable_bucket_join(settings.buckets) -%}
    {%- set query = resync_sql(on_branch, stage, settings, snapshot) -%}
    {%- do commit_query(query, target, branch, resync_properties(previous, snapshot, rows)) -%}
{% endmacro %}
