{% macro buckets_warning(target, model_name) -%}
    {{ model_name }}: {{ target }} has other buckets than its configuration says, so that a merge moves
    {{- ' ' }}all of it. To change the table: dbt run-operation rebucket --args '{model: {{ model_name }}}'
{%- endmacro %}
