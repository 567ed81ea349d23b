{# dbt run-operation prune_tombstones --args '{model: mirror_shop__orders, dry_run: false}' #}
{% macro prune_tombstones(model=none, dry_run=true) %}
    {%- set mirrors = graph.nodes.values()
        | selectattr('config.materialized', 'equalto', 'mirror') | list -%}
    {%- set chosen = mirrors | selectattr('name', 'equalto', model) | list if model else mirrors -%}
    {%- if model and not chosen -%}
        {%- do exceptions.raise_compiler_error(
            'prune_tombstones: ' ~ model ~ ' is not a mirror of this project. There are: '
            ~ mirrors | map(attribute='name') | sort | join(', ')
        ) -%}
    {%- endif -%}
    {%- for node in chosen -%}
        {%- do prune_mirror(node, dry_run) -%}
    {%- endfor -%}
{% endmacro %}
