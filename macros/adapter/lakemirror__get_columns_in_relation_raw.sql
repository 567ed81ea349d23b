{# with EXTENDED, Spark plans a scan of the table #}
{% macro lakemirror__get_columns_in_relation_raw(relation) %}
    {{ return(run_query('describe ' ~ relation)) }}
{% endmacro %}
