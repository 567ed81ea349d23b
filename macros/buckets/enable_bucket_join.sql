{# with these, a join of two tables bucketed alike moves neither; the session forgets them after #}
{% macro enable_bucket_join(buckets) %}
    {% for setting, value in {
        'spark.sql.sources.v2.bucketing.enabled': 'true',
        'spark.sql.sources.v2.bucketing.pushPartValues.enabled': 'true',
        'spark.sql.requireAllClusterKeysForCoPartition': 'false',
        'spark.sql.iceberg.planning.preserve-data-grouping': 'true',
    }.items() if buckets %}
        {% do run_query('set `' ~ setting ~ '` = `' ~ value ~ '`') %}
    {% endfor %}
{% endmacro %}
