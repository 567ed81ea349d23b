{% macro refuse_settings(problems, model_name) %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            model_name ~ ' is not configured right:\n  - ' ~ problems | join('\n  - ')
        ) %}
    {% endif %}
{% endmacro %}
