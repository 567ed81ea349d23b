{% macro record_late(rows) %}
    {%- do run_query(late_table_sql()) -%}
    {%- do run_query('insert into ops.late_events values ' ~ rows | join(', ')) -%}
{% endmacro %}
