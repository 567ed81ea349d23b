{# a cached batch is planned once, in few tasks, and a thousand large rows fit in memory; its few deletes
   are one file a partition. What one task reads is not shuffled. Many small files of the mirror are one
   task, and no stage is planned anew #}
{% macro enable_small_batch(records) %}
    {%- do adapter.set_session({
        'spark.sql.legacy.storeAnalyzedPlanForView': 'true',
        'spark.sql.optimizer.canChangeCachedPlanOutputPartitioning': 'true',
        'spark.sql.inMemoryColumnarStorage.batchSize': '1000',
        'spark.sql.inMemoryColumnarStorage.compressed': 'false',
        'spark.sql.iceberg.distribution-mode': 'hash',
        'spark.sql.adaptive.enabled': 'false',
        'spark.sql.shuffle.partitions': '1' if records < 10000 else '2',
        'spark.sql.iceberg.read.adaptive-split-size.enabled': 'false',
    }) -%}
{% endmacro %}
