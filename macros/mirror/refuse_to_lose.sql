{% macro refuse_to_lose(existing, is_rebuild, model_name) %}
    {% if existing is not none and existing.is_view %}
        {% do exceptions.raise_compiler_error(
            model_name ~ ': ' ~ existing ~ ' is a view. Drop it first, if nobody needs it.'
        ) %}
    {% endif %}
    {% if existing is not none and flags.FULL_REFRESH and not is_rebuild %}
        {% do exceptions.raise_compiler_error(
            model_name ~ ': --full-refresh would rebuild ' ~ existing ~ ' from raw. If that is meant: '
            ~ rebuild_command(model_name)
        ) %}
    {% endif %}
{% endmacro %}
