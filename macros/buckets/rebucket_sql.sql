{# one statement at most: Iceberg changes a field at a time, and a mirror has one or none #}
{% macro rebucket_sql(relation, there, buckets, bucket_by) %}
    {%- if buckets and there -%}
        alter table {{ relation }} replace partition field {{ there[0] }} with {{ bucket_key(buckets, bucket_by) }}
    {%- elif buckets -%}
        alter table {{ relation }} add partition field {{ bucket_key(buckets, bucket_by) }}
    {%- else -%}
        alter table {{ relation }} drop partition field {{ there[0] }}
    {%- endif -%}
{% endmacro %}
