{# stage, count, evolve, remember the deletes, merge with the bookmark in the same commit, tidy #}
{% macro apply_changes(target, raw, window, previous, settings, is_rebuild) %}
    {%- set stage = stage_relation(target) -%}
    {%- set tombstones = target.incorporate(path={'identifier': target.identifier ~ '__tombstones'}) -%}
    {%- set changes = pinned(compiled_code, raw, window.clause) -%}
    {%- call statement('stage') -%}
        {{ stage_sql(stage, changes, settings.key, settings.buckets, settings.bucket_by) }}
    {%- endcall -%}
    {%- set helpers = ['_events', '_orders', '_outcome', '_is_undecodable'] -%}
    {%- set columns = adapter.get_columns_in_relation(stage) | rejectattr('name', 'in', helpers) | list -%}
    {%- set names = columns | map(attribute='name') | list -%}
    {%- set remembered = settings.key + [
        '_tx_epoch', '_tx_rank', '_tx_order', '_src_ts', '_kfk_partition', '_kfk_offset',
    ] -%}

    {%- do run_query(create_mirror_sql(target, columns, settings)) -%}
    {%- do run_query(create_mirror_sql(
        tombstones, columns | selectattr('name', 'in', remembered) | list, settings
    )) -%}
    {%- set counts = batch_counts(stage, target, tombstones, settings.key) -%}
    {%- do refuse_truncate(counts, model.name, stage) -%}
    {%- if counts.quarantined -%}
        {%- do run_query(quarantine_batch_sql(stage, raw, window, model.name)) -%}
    {%- endif -%}

    {%- set properties = commit_properties(raw, window, previous, counts) -%}
    {%- if is_rebuild -%}
        {%- do run_query('delete from ' ~ tombstones) -%}
        {%- do run_query(tombstones_sql(tombstones, stage, settings.key)) -%}
        {%- do commit_with(properties) -%}
        {%- call statement('main') -%}
            {{ rebuild_sql(target, stage, settings, names) }}
        {%- endcall -%}
    {%- else -%}
        {%- do evolve(target, columns, model.name) -%}
        {%- if counts.deletes -%}
            {%- do run_query(tombstones_sql(tombstones, stage, settings.key)) -%}
        {%- endif -%}
        {%- if counts.stale or counts.duplicate -%}
            {%- do run_query(drop_outdated_sql(stage, tombstones, settings.key)) -%}
        {%- endif -%}
        {%- do refuse_overtaken(target, previous, model.name) -%}
        {%- do enable_bucket_join(settings.buckets) -%}
        {%- do commit_with(properties) -%}
        {%- call statement('main') -%}
            {{ merge_sql(target, stage, settings.key, names) }}
        {%- endcall -%}
    {%- endif -%}
    {%- do commit_plain(properties) -%}

    {%- do run_query(boundary_tag_sql(raw, target, window)) -%}
    {%- do run_query('drop table ' ~ stage ~ ' purge') -%}
    {%- do log(counts_line(model.name, counts), info=true) -%}
{% endmacro %}
