{# a query beside the model's own can name what the model refers to #}
{% macro with_staging(query) -%}
    {{ 'with ' ~ model.extra_ctes | map(attribute='sql') | join(', ') ~ ' ' if model.extra_ctes }}{{ query }}
{%- endmacro %}
