{% materialization daily, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set unique_key = config.require('unique_key') -%}
    {%- set settings = daily_settings(config, model.name) -%}
    {%- set on_late = settings.late_events -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- set raw = raw_of_changes(compiled_code, model.name) -%}
    {%- set mark = modules.re.search('[*] midnight[(](.+?), (.+?)[)] [*]', compiled_code) -%}
    {%- set parts = mark.group(1).split('.') -%}
    {%- set mirror = api.Relation.create(schema=parts[0], identifier=parts[1], type='table') -%}

    {%- do refuse_layout(existing, settings.publish, compiled_code, model.name) -%}
    {%- set previous = adapter.newest_own_commit(target) if existing is not none else none -%}
    {%- set window = adapter.next_window(raw, none if var('replay', false) else previous, model.name) -%}
    {%- set heard = watermark(config.require('source_name'), model.name) -%}
    {%- set published = adapter.kept_days(
        published_days(existing), heard['complete_until'], settings.keep_days
    ) -%}
    {%- set late = find_late(raw, window, published) -%}
    {%- set wanted = adapter.wanted_days(var('ds', none), var('ds_to', none)) -%}
    {%- set known_from = first_known(previous, heard['heard_from'], raw, mark.group(2)) -%}
    {%- set days = adapter.days_to_publish(
        published,
        [known_from, heard['complete_until']],
        late if on_late == 'restate' else {},
        wanted,
        settings.keep_days,
        model.name,
    ) -%}

    {%- set bookmark = window.end if window
        else previous.summary['lakemirror.raw-snapshot-id'] if previous else none -%}
    {%- set is_reported = late and on_late == 'report' and not wanted -%}
    {%- set changed = published | select('ge', late | min) | list
        if late and not is_reported else [] -%}

    {{ run_hooks(pre_hooks) }}
    {%- if is_reported -%}
        {%- do report_late(
            target, late, published, {'raw-snapshot-id': bookmark, 'known-from': known_from}
        ) -%}
    {%- endif -%}
    {%- if not days -%}
        {%- if existing is none -%}
            {#- without a day yet it is empty, and its data tests can say so -#}
            {%- do run_query(create_daily_sql(
                target, days_columns(daily_columns(mirror), settings.publish)
            )) -%}
        {%- endif -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- endif -%}
    {%- for day in days -%}
        {#- the bookmark moves when no published day lacks what has come since -#}
        {%- set is_followed = not (changed | reject('in', days[:loop.index]) | list) -%}
        {%- do publish_day(
            target, raw, mirror, mark.group(2), unique_key, day,
            {
                'raw-snapshot-id': bookmark if is_followed else none,
                'known-from': known_from,
                'watermark': heard['complete_until'],
                'proof': heard['proof'],
            },
            late_until(late, day) if day in published else none,
            settings.publish
        ) -%}
    {%- endfor -%}
    {%- if days -%}
        {%- do tell_run('published ' ~ days | join(', '), {'merged_by': 'overwrite'}) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
