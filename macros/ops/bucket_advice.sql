{# dbt run-operation bucket_advice, or with --args '{model: mirror_shop__orders}' #}
{% macro bucket_advice(model=none) %}
    {%- do adapter.operate('bucket_advice', context, model=model) -%}
{% endmacro %}
