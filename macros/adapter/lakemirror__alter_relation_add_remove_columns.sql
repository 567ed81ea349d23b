{% macro lakemirror__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
    {% if add_columns %}
        {% set definitions = [] %}
        {% for column in add_columns %}
            {% do definitions.append(column.quoted ~ ' ' ~ column.data_type) %}
        {% endfor %}
        {% do run_query('alter table ' ~ relation ~ ' add columns (' ~ definitions | join(', ') ~ ')') %}
    {% endif %}
    {% for column in remove_columns or [] %}
        {% do run_query('alter table ' ~ relation ~ ' drop column ' ~ column.quoted) %}
    {% endfor %}
{% endmacro %}
