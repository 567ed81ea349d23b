{# another run may have committed since this one began: its bookmark must not go back #}
{% macro refuse_overtaken(target, previous, branch, model_name) %}
    {% set newest = adapter.newest_own_commit(target, previous) %}
    {% if (newest.id if newest else none) != (previous.id if previous else none) %}
        {% if branch %}
            {% do run_query('alter table ' ~ target ~ ' drop branch ' ~ branch) %}
        {% endif %}
        {% do exceptions.raise_compiler_error(
            model_name ~ ': another run has merged into ' ~ target ~ ' since this one began. '
            ~ 'Nothing was written; run the model again.'
        ) %}
    {% endif %}
{% endmacro %}
