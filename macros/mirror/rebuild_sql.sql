{% macro rebuild_sql(target, stage, shape, settings) %}
    create or replace table {{ target }}
    using iceberg
    {{ bucket_clause(settings) }}
    {{ properties_clause(settings.properties) }}
    as
    {{ live_rows_sql(stage, shape) | indent(4) }}
    {%- if shape.deletes == 'hard' %} and _op <> 'd'{% endif %}
{% endmacro %}
