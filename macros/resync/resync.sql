{# what the newest full snapshot does not have any more goes; a dry run only says what #}
{% macro resync(target, batch, settings) %}
    {%- do refuse_unmerged(batch, compiled_code, model.name) -%}
    {%- set stage = stage_relation(target) -%}
    {%- set bookmark = 'version as of ' ~ batch.previous.summary['lakemirror.raw-snapshot-id'] -%}
    {%- do run_query(
        stage_snapshots_sql(stage, pinned(compiled_code, batch.raw, bookmark), settings)
    ) -%}
    {%- set found = run_query(newest_snapshot_sql(stage, settings.key)).columns[0].values() -%}
    {%- set snapshot = fromjson(found[0]) if found else none -%}
    {%- set problem = snapshot_problem(snapshot) | trim -%}
    {%- if problem -%}
        {%- do refuse_batch(stage, model.name, problem) -%}
    {%- endif -%}

    {%- set absent = absent_rows_sql(target, stage, settings.key, snapshot) -%}
    {%- set rows = run_query('select count(*) as absent from (' ~ absent ~ ')').rows[0]['absent'] | int -%}
    {%- set keys = run_query(
        'select to_json(struct(*)) as absent_key from (' ~ absent ~ ') order by 1 limit 10'
    ).columns[0].values() -%}
    {%- do log(resync_line(model.name, target, snapshot, rows, keys), info=true) -%}
    {%- if rows and var('resync', none) == 'apply' -%}
        {%- do remove_absent(target, stage, batch.previous, settings, snapshot, rows) -%}
    {%- else -%}
        {%- call noop_statement('main', rows ~ ' ROWS TO REMOVE') -%}{%- endcall -%}
    {%- endif -%}
    {%- do drop_batch(stage) -%}
{% endmacro %}
