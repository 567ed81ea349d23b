{# a view whose plan is stored stays in the cache when it is dropped: plans and rows of every batch, until the
   process ends #}
{% macro drop_batch(stage) %}
    {%- if stage.schema -%}
        {%- do run_query('drop table ' ~ stage ~ ' purge') -%}
    {%- else -%}
        {%- do run_query('uncache table ' ~ stage) -%}
        {%- do run_query('drop view ' ~ stage) -%}
    {%- endif -%}
{% endmacro %}
