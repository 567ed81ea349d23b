{% macro lakemirror_make_way(existing) %}
    {% if existing is not none and existing.is_view %}
        {% do adapter.drop_relation(existing) %}
    {% endif %}
{% endmacro %}
