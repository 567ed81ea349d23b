{# in this form Iceberg leaves out the files of other buckets #}
{% macro bucket_of(row, settings) -%}
    system.bucket({{ settings.buckets }}, {{ row }}.{{ quoted(settings.bucket_by) }})
{%- endmacro %}
