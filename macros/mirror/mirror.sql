{% materialization mirror, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set settings = mirror_settings() -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- set is_rebuild = existing is not none and flags.FULL_REFRESH and var('allow_full_refresh') -%}
    {%- set raw = raw_of_changes(compiled_code, model.name) -%}

    {%- do refuse_to_lose(existing, is_rebuild, model.name) -%}
    {%- if existing is none -%}
        {%- do await_raw(raw, model.name) -%}
    {%- endif -%}
    {%- set previous = adapter.newest_own_commit(target) if existing is not none else none -%}
    {%- set start = none if is_rebuild or var('replay') else previous -%}
    {%- set window = adapter.next_window(raw, start, model.name) -%}
    {%- if window is not none or existing is none -%}
        {%- set columns = mirrored_columns(pinned(compiled_code, raw, '')) -%}
    {%- endif -%}

    {{ run_hooks(pre_hooks) }}
    {%- if existing is none and not var('resync') -%}
        {%- do create_mirror(target, columns, settings) -%}
    {%- endif -%}
    {%- if var('resync') -%}
        {%- do resync(target, raw, window, previous, settings) -%}
    {%- elif window is none -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- else -%}
        {%- do apply_changes(target, raw, window, columns, previous, settings, is_rebuild) -%}
        {%- do persist_docs(target, model) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
