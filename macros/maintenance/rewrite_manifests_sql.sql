{% macro rewrite_manifests_sql(relation, policy) %}
    call system.rewrite_manifests(table => {{ lakemirror_string(relation) }})
{% endmacro %}
