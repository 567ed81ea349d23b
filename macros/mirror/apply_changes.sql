{# stage, count, evolve, remember the deletes, merge with the bookmark in the same commit, tidy #}
{% macro apply_changes(target, raw, window, columns, previous, settings, is_rebuild) %}
    {%- set stage = stage_relation(target) -%}
    {%- set tombstones = tombstones_of(target) -%}
    {%- set changes = pinned(compiled_code, raw, window.clause) -%}
    {%- set names = columns | map(attribute='name') | list -%}
    {%- set payload = payload_columns(names) -%}
    {%- call statement('stage') -%}
        {{ stage_sql(stage, changes, settings, payload) }}
    {%- endcall -%}

    {%- set logs = adapter.advance_logs(
        none if is_rebuild else previous, run_query(batch_logs_sql(stage)).rows
    ) -%}
    {%- if logs.problem -%}
        {%- do refuse_batch(stage, model.name, epoch_problem(logs.problem, model.name)) -%}
    {%- endif -%}

    {%- set counts = batch_counts(
        stage, target, tombstones, settings.key, logs.known_floor, logs.floor
    ) -%}
    {%- if counts.quarantined -%}
        {%- do run_query(quarantine_batch_sql(stage, raw, window, model.name)) -%}
        {%- if settings.on_bad_rows == 'fail' -%}
            {%- do refuse_batch(stage, model.name, bad_rows_problem(counts.quarantined, model.name)) -%}
        {%- endif -%}
    {%- endif -%}

    {%- set properties = commit_properties(raw, window, previous, counts, logs) -%}
    {%- if not is_rebuild -%}
        {%- do evolve(target, columns, model.name) -%}
        {%- if counts.ambiguous -%}
            {%- do report_conflicts(stage, target, settings, payload, model.name) -%}
        {%- endif -%}
    {%- endif -%}
    {%- if counts.deletes -%}
        {%- do run_query(tombstones_sql(tombstones, stage, settings.key)) -%}
    {%- endif -%}
    {%- if logs.floor -%}
        {%- do run_query(drop_truncated_sql(stage, logs.floor)) -%}
    {%- endif -%}
    {%- if counts.outdated -%}
        {%- do run_query(drop_outdated_sql(stage, tombstones, settings.key)) -%}
    {%- endif -%}
    {%- set branch = none if is_rebuild else begin_branch(target) -%}
    {%- do refuse_overtaken(target, previous, branch, model.name) -%}
    {%- do enable_bucket_join(settings.buckets) -%}
    {%- do commit_with(properties) -%}
    {%- call statement('main') -%}
        {%- if is_rebuild -%}
            {{ rebuild_sql(target, stage, settings, names) }}
        {%- else -%}
            {{ merge_sql(
                target ~ '.branch_' ~ branch, stage, settings, names,
                logs.floor if logs.floor != logs.known_floor else none
            ) }}
        {%- endif -%}
    {%- endcall -%}
    {%- if not is_rebuild -%}
        {%- do adapter.fast_forward(target, branch, model.name) -%}
    {%- endif -%}
    {%- do commit_plain(properties) -%}

    {%- do adapter.execute_until_committed(boundary_tag_sql(raw, target, window)) -%}
    {%- do run_query('drop table ' ~ stage ~ ' purge') -%}
    {%- do log(counts_line(model.name, counts), info=true) -%}
{% endmacro %}
