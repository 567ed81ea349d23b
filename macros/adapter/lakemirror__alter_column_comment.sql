{% macro lakemirror__alter_column_comment(relation, column_dict) %}
    {% set there, changed = {}, [] %}
    {% for name, _, comment in get_columns_in_relation_raw(relation) %}
        {% do there.setdefault(name | lower, comment or '') %}
    {% endfor %}
    {% for name, column in column_dict.items() if there[name | lower] != column.description %}
        {% do changed.append(
            adapter.quote(name) ~ ' comment ' ~ lakemirror_string(column.description)
        ) %}
    {% endfor %}
    {% if changed %}
        {% do run_query('alter table ' ~ relation ~ ' alter column ' ~ changed | join(', ')) %}
    {% endif %}
{% endmacro %}
