{% materialization cut, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set run = adapter.begin(context) -%}

    {{ run_hooks(pre_hooks) }}
    {%- do run.apply() -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [run.target]}) }}
{% endmaterialization %}
