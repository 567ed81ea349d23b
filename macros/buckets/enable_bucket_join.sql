{# with these, a join of two tables bucketed alike moves neither #}
{% macro enable_bucket_join(buckets) %}
    {%- if buckets -%}
        {%- do adapter.set_session({
            'spark.sql.sources.v2.bucketing.enabled': 'true',
            'spark.sql.sources.v2.bucketing.pushPartValues.enabled': 'true',
            'spark.sql.requireAllClusterKeysForCoPartition': 'false',
            'spark.sql.iceberg.planning.preserve-data-grouping': 'true',
        }) -%}
    {%- endif -%}
{% endmacro %}
