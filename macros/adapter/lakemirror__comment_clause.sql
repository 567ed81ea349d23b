{% macro lakemirror__comment_clause() %}
    {%- if (config.get('persist_docs') or {}).get('relation') -%}
        comment {{ lakemirror_string(model.description) }}
    {%- endif -%}
{% endmacro %}
