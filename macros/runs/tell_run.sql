{# what dbt prints of a model that did something, and record_runs keeps #}
{% macro tell_run(message, did) %}
    {%- do store_raw_result('main', message=message, code=did | tojson, rows_affected=did.get('applied')) -%}
{% endmacro %}
