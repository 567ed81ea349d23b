{% macro drop_batch(stage) %}
    {%- do run_query('drop table ' ~ stage ~ ' purge' if stage.schema else 'drop view ' ~ stage) -%}
{% endmacro %}
