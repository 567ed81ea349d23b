{% materialization daily, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set unique_key = config.require('unique_key') -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- set raw = raw_of_changes(compiled_code, model.name) -%}
    {%- set mark = modules.re.search('[*] midnight[(](.+?), (.+?)[)] [*]', compiled_code) -%}
    {%- set parts = mark.group(1).split('.') -%}
    {%- set mirror = api.Relation.create(schema=parts[0], identifier=parts[1], type='table') -%}

    {%- set previous = adapter.newest_own_commit(target) if existing is not none else none -%}
    {%- set window = adapter.next_window(raw, none if var('replay') else previous, model.name) -%}
    {%- set days = adapter.days_to_publish(
        existing,
        watermark(config.require('source_name'), model.name),
        changed_from(raw, window),
        [var('ds'), var('ds_to')],
        model.name,
    ) -%}

    {{ run_hooks(pre_hooks) }}
    {%- if not days -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- endif -%}
    {%- for day in days -%}
        {%- set end = window.end if window and loop.last and not var('ds') else none -%}
        {%- do publish_day(
            target, raw, mirror, mark.group(2), unique_key, day, {'raw-snapshot-id': end}
        ) -%}
    {%- endfor -%}
    {%- if days -%}
        {%- do tell_run('published ' ~ days | join(', '), {'merged_by': 'overwrite'}) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
