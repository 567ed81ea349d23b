{% macro stage_sql(stage, query, settings) %}
    {%- if stage.schema %}
    create table {{ stage }}
    {{ stage_clause(settings) }}
    as
    {%- else %}
    cache table {{ stage }}__rows as
    {%- endif %}
    {{ query }}
{% endmacro %}
