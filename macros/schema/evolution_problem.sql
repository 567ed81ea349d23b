{% macro evolution_problem(target, problems, model_name) -%}
    {{ model_name }}: {{ target }} cannot follow its query: {{ problems | join('; ') }}. Nothing was
    {{- ' ' }}written. Declare the type that the table has, say what to do by on_type_conflict
    {{- ' ' }}(docs/schema-changes.md), or rebuild the table: {{ rebuild_command(model_name) }}
{%- endmacro %}
