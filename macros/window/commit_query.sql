{# one commit that says what it means; on a branch it becomes the table's, or it never was #}
{% macro commit_query(query, target, branch, properties) %}
    {%- do commit_with(properties) -%}
    {%- call statement('main') -%}
        {{ query }}
    {%- endcall -%}
    {%- if branch -%}
        {%- do adapter.fast_forward(target, branch, model.name) -%}
    {%- endif -%}
    {%- do commit_plain(properties) -%}
{% endmacro %}
