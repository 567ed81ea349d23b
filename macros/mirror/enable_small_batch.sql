{# a cached batch is planned once, in few tasks, and a thousand large rows fit in memory; its few deletes
   are one file a partition. The session forgets these after #}
{% macro enable_small_batch() %}
    {% for setting, value in {
        'spark.sql.legacy.storeAnalyzedPlanForView': 'true',
        'spark.sql.optimizer.canChangeCachedPlanOutputPartitioning': 'true',
        'spark.sql.inMemoryColumnarStorage.batchSize': '1000',
        'spark.sql.iceberg.distribution-mode': 'hash',
    }.items() %}
        {% do run_query('set `' ~ setting ~ '` = `' ~ value ~ '`') %}
    {% endfor %}
{% endmacro %}
