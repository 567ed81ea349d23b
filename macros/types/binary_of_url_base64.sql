{% macro binary_of_url_base64(value, type) -%}
try_to_binary(translate({{ value }}, '-_', '+/'), 'base64')
{%- endmacro %}
