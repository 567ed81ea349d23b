{% materialization table, adapter='lakemirror', supported_languages=['sql', 'python'] %}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}

    {{ run_hooks(pre_hooks) }}
    {%- do lakemirror_make_way(existing) -%}
    {%- call statement('main', language=model['language']) -%}
        {{ create_table_as(False, target, compiled_code, model['language']) }}
    {%- endcall -%}
    {%- do persist_docs(target, model) -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
