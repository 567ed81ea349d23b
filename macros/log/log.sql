{% materialization log, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set settings = log_settings() -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- set batch = begin_batch(target, existing) -%}

    {{ run_hooks(pre_hooks) }}
    {%- if existing is none -%}
        {%- do run_query(create_log_sql(target, batch.columns, settings)) -%}
    {%- endif -%}
    {%- if batch.window is none -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- else -%}
        {%- do append_changes(target, batch, settings) -%}
        {%- do persist_docs(target, model) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
