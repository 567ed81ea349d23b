{# the key of a Kafka record as compact JSON, whether its schema is written with it or not #}
{% macro record_key(column='key') -%}
coalesce(get_json_object({{ column }}, '$.payload'), get_json_object({{ column }}, '$'), {{ column }})
{%- endmacro %}
