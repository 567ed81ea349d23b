{% materialization mirror, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set settings = mirror_settings(config, model.name) -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- do refuse_resync(var('resync', none), existing, model.name) -%}
    {%- set batch = begin_batch(target, existing) -%}

    {{ run_hooks(pre_hooks) }}
    {%- if existing is none -%}
        {%- do create_mirror(target, batch, settings) -%}
    {%- elif batch.window or var('resync', none) -%}
        {%- do settings.update(bucket_by=find_bucket_by(target, settings)) -%}
    {%- endif -%}
    {%- if var('resync', none) -%}
        {%- do resync(target, batch, settings) -%}
    {%- elif batch.window is none -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- else -%}
        {%- do apply_changes(target, batch, settings) -%}
        {%- do persist_docs(target, model) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
