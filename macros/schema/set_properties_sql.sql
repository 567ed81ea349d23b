{% macro set_properties_sql(relation, properties) %}
    alter table {{ relation }} set {{ properties_clause(properties) }}
{% endmacro %}
