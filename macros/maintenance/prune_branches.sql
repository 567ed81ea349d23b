{# of the mirror that a daily model is made of #}
{% macro prune_branches(node, days) %}
    {%- for mirror in nodes_of('mirror', none, node.name) if mirror.unique_id in node.depends_on.nodes -%}
        {%- for day in days -%}
            {%- do adapter.execute_until_committed(
                'alter table ' ~ mirror_of(mirror) ~ ' drop branch if exists ' ~ branch_name(day)
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}
