{# nothing of the batch is written; the next run reads it again #}
{% macro refuse_batch(stage, model_name, message) %}
    {% do drop_batch(stage) %}
    {% do exceptions.raise_compiler_error(model_name ~ ': ' ~ message ~ ' Nothing was written.') %}
{% endmacro %}
