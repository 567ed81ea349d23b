{% macro lakemirror__handle_existing_table(full_refresh, old_relation) %}
    {% do exceptions.raise_compiler_error(
        model.name ~ ': ' ~ old_relation ~ ' is a table. Drop it first, if nobody needs it.'
    ) %}
{% endmacro %}
