{% macro bucket_key(buckets, column) -%}
    bucket({{ buckets }}, {{ quoted(column) }})
{%- endmacro %}
