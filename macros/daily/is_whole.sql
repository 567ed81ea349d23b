{% macro is_whole(raw) %}
    {{ return(run_query(is_whole_sql(raw, ref('landing'))).rows[0][0]) }}
{% endmacro %}
