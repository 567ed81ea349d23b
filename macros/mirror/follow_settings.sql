{# returns whether the table has the buckets that its mirror is configured with #}
{% macro follow_settings(target, tombstones, settings, model_name) %}
    {%- set there = adapter.described(target) -%}
    {%- do follow_properties(target, tombstones, there, settings.properties, model_name) -%}
    {%- set has_buckets = adapter.has_buckets(there, settings.buckets, settings.bucket_by) -%}
    {%- if not has_buckets -%}
        {%- do exceptions.warn(buckets_warning(target, model_name)) -%}
    {%- endif -%}
    {{ return(has_buckets) }}
{% endmacro %}
