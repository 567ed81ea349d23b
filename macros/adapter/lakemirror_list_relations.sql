{% macro lakemirror_list_relations(schema) %}
    {% set relations = [] %}
    {% for kind in ['table', 'view'] %}
        {% call statement('list_' ~ kind, fetch_result=True) %}
            show {{ kind }}s in `{{ schema }}`
        {% endcall %}
        {% for row in load_result('list_' ~ kind).data if not row[2] %}
            {% do relations.append((kind, row[1])) %}
        {% endfor %}
    {% endfor %}
    {{ return(relations) }}
{% endmacro %}
