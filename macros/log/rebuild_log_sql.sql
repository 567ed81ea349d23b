{% macro rebuild_log_sql(target, stage, settings, columns) %}
    create or replace table {{ target }}
    using iceberg
    {{ partition_clause(settings.partition_by) }}
    {{ properties_clause(settings.properties) }}
    as
    {{ new_records_sql(stage, columns) | indent(4) }}
{% endmacro %}
