{# stage, judge and count, refuse or go on: evolve, remember the deletes, merge with the bookmark in the
   same commit, tidy #}
{% macro apply_changes(target, batch, settings) %}
    {%- set tombstones = tombstones_of(target) -%}
    {%- set has_buckets = settings.buckets and true
        if batch.is_rebuild or follow_settings(target, tombstones, settings, model.name) else false -%}
    {%- set evolution = plan_mirror(target, tombstones, batch, settings) -%}
    {%- set memory = adapter.memory(tombstones) -%}
    {%- set changes = fitted_sql(
        pinned(compiled_code, batch.raw, batch.window.clause), evolution.mirror
    ) -%}
    {%- set names = evolution.mirror.names -%}
    {%- set payload = adapter.payload_columns(names) -%}
    {%- set filled = unsent_columns(names, settings.key) -%}
    {%- set small = is_small(batch, settings) -%}
    {%- set stage = stage_relation(target, is_cached=small) -%}
    {%- if small -%}
        {%- do enable_small_batch(batch.window.records) -%}
    {%- endif -%}
    {%- call statement('stage') -%}
        {{ stage_sql(stage, folded_sql(changes, settings.key, payload, filled), settings) }}
    {%- endcall -%}

    {%- set logs = adapter.advance_logs(
        batch.previous,
        run_query(batch_logs_sql(stage)).rows,
        batch.is_rebuild,
        batch.is_first and memory.is_unwritten
    ) -%}
    {%- if logs.problem -%}
        {%- do refuse_batch(stage, model.name, epoch_problem(logs.problem, model.name)) -%}
    {%- endif -%}
    {%- set new_floor = logs.floor if logs.floor != logs.known_floor else none -%}

    {%- if not small -%}
        {%- do enable_bucket_join(settings.buckets if has_buckets else none) -%}
    {%- endif -%}
    {#- which rows are new is asked only of changes from before the horizon -#}
    {%- set start = none if logs.start and memory.may_lack(logs.start._src_ts) else logs.start -%}
    {%- set follows = start is not none and logs.follows -%}
    {%- set deletes = deletes_to_judge(stage, memory, settings.key, evolution, start) -%}
    {%- set held = adapter.as_of_now(target) if small else target -%}
    {%- set rows = rows_to_judge(held, stage, batch, evolution, start) -%}
    {%- set judged = following_sql(stage, filled) if follows else judged_sql(
        stage, rows, deletes, settings.key, logs.known_floor, logs.floor, filled, small
    ) -%}
    {%- set staged = [stage] -%}
    {%- set is_judged = small and not follows -%}
    {%- if is_judged -%}
        {%- set stage = stage.incorporate(path={'identifier': 'judged__' ~ stage.identifier}) -%}
        {%- do run_query(stage_sql(stage, judged, settings)) -%}
        {%- do staged.append(stage) -%}
    {%- endif -%}
    {%- set counts = batch_counts(batch_counts_sql(
        stage if is_judged else '(' ~ judged ~ ')',
        none if batch.window.start is none else memory.pruned_until,
        batch.tells_undeclared,
        filled
    )) -%}
    {%- do report_undeclared(stage, counts, batch.raw, settings.on_undeclared) -%}
    {%- do quarantine_batch(stage, batch, counts.quarantined, settings.on_bad_rows) -%}
    {%- if counts.ambiguous and not batch.is_rebuild -%}
        {%- set comparable = payload | reject('in', evolution.incomparable) | list -%}
        {%- do report_conflicts(stage, rows, settings, comparable, model.name, filled) -%}
    {%- endif -%}

    {#- where each row has all its columns, there is nothing to complete -#}
    {%- set completes = filled and (counts.partial or new_floor) -%}
    {%- if filled -%}
        {%- do counts.update(unknown=0) -%}
    {%- endif -%}
    {%- set updates = evolve_mirror(target, tombstones, batch, evolution, settings) -%}
    {%- if counts.deletes -%}
        {%- do run_query(tombstones_sql(tombstones, stage, settings.key)) -%}
    {%- endif -%}
    {%- if logs.floor and not small and not follows -%}
        {%- do run_query(drop_truncated_sql(stage, logs.floor)) -%}
    {%- endif -%}
    {%- if counts.outdated and not small and not (completes and settings.deletes == 'soft') -%}
        {%- do run_query(drop_outdated_sql(stage, deletes, settings.key)) -%}
    {%- endif -%}
    {%- if completes -%}
        {%- set stage = complete_batch(
            stage, none if batch.is_rebuild else held, tombstones, settings, names, filled,
            logs.floor, new_floor, updates, small, is_judged
        ) -%}
        {%- do staged.append(stage) -%}
        {%- do counts.update(unknown=report_unknown(stage, model.name)) -%}
    {%- endif -%}
    {%- set properties = commit_properties(
        batch, counts, logs, merged_by(batch, has_buckets, small),
        settings.key, evolution.returned
    ) -%}
    {%- if batch.is_rebuild -%}
        {%- do drop_bases(target) -%}
    {%- else -%}
        {%- do keep_base(target, batch, counts.max_src_ts) -%}
    {%- endif -%}
    {%- set is_judged = is_judged or small and completes -%}
    {#- where the verdicts are known, or none is needed, a MERGE would join more than the keys -#}
    {%- set replaces = small or batch.is_first
        or follows and not completes and settings.merge_mode == 'merge-on-read' -%}
    {#- a new TRUNCATE removes rows of every bucket -#}
    {%- set touched = [] if batch.is_first or batch.is_rebuild or new_floor
        else find_touched_buckets(stage, batch, settings) -%}
    {%- call(into) commit_batch(target, staged, batch, counts, properties, updates) -%}
        {%- if batch.is_rebuild -%}
            {{ rebuild_sql(into, stage, settings, names) }}
        {%- elif replaces -%}
            {%- if not batch.is_first -%}
                {%- do remove_replaced(
                    into, stage, settings, counts.changed or completes, new_floor, is_judged, touched,
                    batch_join(counts.changed, has_buckets, small)
                ) -%}
            {%- endif -%}
            {{ insert_rows_sql(
                into, stage, settings, names, is_judged,
                lies_in_buckets=not small and has_buckets
            ) }}
        {%- else -%}
            {{ merge_sql(into, stage, settings, names, new_floor, filled, touched) }}
        {%- endif -%}
    {%- endcall -%}
    {%- if counts.unguarded -%}
        {%- do exceptions.warn(
            unguarded_warning(counts.unguarded, memory.pruned_until, model.name)
        ) -%}
    {%- endif -%}
{% endmacro %}
