{# the mirrors that an operation is for: the named one, or all #}
{% macro mirror_nodes(model, operation) %}
    {%- set mirrors = graph.nodes.values()
        | selectattr('config.materialized', 'equalto', 'mirror') | list -%}
    {%- set chosen = mirrors | selectattr('name', 'equalto', model) | list if model else mirrors -%}
    {%- if model and not chosen -%}
        {%- do exceptions.raise_compiler_error(
            operation ~ ': ' ~ model ~ ' is not a mirror of this project. There are: '
            ~ mirrors | map(attribute='name') | sort | join(', ')
        ) -%}
    {%- endif -%}
    {{ return(chosen) }}
{% endmacro %}
