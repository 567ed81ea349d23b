{% macro stage_sql(stage, changes, settings, payload, filled=[]) %}
    create table {{ stage }}
    {{ stage_clause(settings) }}
    as
    {{ folded_sql(changes, settings.key, payload, filled) }}
{% endmacro %}
