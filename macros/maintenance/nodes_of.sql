{# the models of a materialization that an operation is for: the named one, or all #}
{% macro nodes_of(materialized, model, operation) %}
    {%- set nodes = graph.nodes.values()
        | selectattr('config.materialized', 'equalto', materialized) | list -%}
    {%- set chosen = nodes | selectattr('name', 'equalto', model) | list if model else nodes -%}
    {%- if model and not chosen -%}
        {%- do exceptions.raise_compiler_error(
            operation ~ ': ' ~ model ~ ' is no ' ~ materialized ~ ' of this project. There are: '
            ~ nodes | map(attribute='name') | sort | join(', ')
        ) -%}
    {%- endif -%}
    {{ return(chosen) }}
{% endmacro %}
