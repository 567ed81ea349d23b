{% macro lakemirror__get_columns_in_relation_raw(relation) %}
    {{ return(run_query('describe ' ~ relation)) }}
{% endmacro %}
