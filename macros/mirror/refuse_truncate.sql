{% macro refuse_truncate(counts, model_name, stage) %}
    {% if counts.truncates %}
        {% do run_query('drop table ' ~ stage ~ ' purge') %}
        {% do exceptions.raise_compiler_error(
            model_name ~ ': the source table was truncated, which a mirror cannot follow yet. '
            ~ 'Nothing was written.'
        ) %}
    {% endif %}
{% endmacro %}
