{% macro rebuild_sql(target, rows, settings) %}
    create or replace table {{ target }}
    using iceberg
    {{ bucket_clause(settings) }}
    {{ properties_clause(settings.properties) }}
    as
    {{ rows | indent(4) }}
{% endmacro %}
