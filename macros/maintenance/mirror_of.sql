{% macro mirror_of(node) %}
    {{ return(api.Relation.create(schema=node.schema, identifier=node.alias, type='table')) }}
{% endmacro %}
