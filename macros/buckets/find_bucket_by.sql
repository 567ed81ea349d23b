{# a table keeps the column that was chosen for it, while its key has it #}
{% macro find_bucket_by(relation, settings) %}
    {%- set by = settings.bucket_by -%}
    {%- if settings.buckets and not by -%}
        {%- set by = adapter.bucket_column(adapter.described(relation)) -%}
    {%- endif -%}
    {{ return(by if by in settings.key else settings.key[0]) }}
{% endmacro %}
