{% macro follow_settings(target, tombstones, settings, model_name) %}
    {%- set there = adapter.described(target) -%}
    {%- do follow_properties(target, tombstones, there, settings.properties, model_name) -%}
    {%- if not adapter.has_buckets(there, settings.buckets, settings.bucket_by) -%}
        {%- do exceptions.warn(buckets_warning(target, model_name)) -%}
    {%- endif -%}
{% endmacro %}
