{# stage, count, evolve, append with the bookmark in the same commit, tidy #}
{% macro append_changes(target, batch, settings) %}
    {%- set stage = stage_relation(target) -%}
    {%- if batch.previous and not batch.is_rebuild -%}
        {%- do follow_properties(
            target, none, adapter.described(target), settings.properties, model.name
        ) -%}
    {%- endif -%}
    {%- set evolution = plan_evolution(target, batch, [], settings, model.name) -%}
    {%- set changes = fitted_sql(
        pinned(compiled_code, batch.raw, batch.window.clause), evolution
    ) -%}
    {%- set ranges = [] if batch.is_rebuild
        else run_query(offset_ranges_sql(batch.raw, batch.window.clause)).rows -%}
    {%- call statement('stage') -%}
        {{ log_stage_sql(stage, changes, target, ranges) }}
    {%- endcall -%}

    {%- set counts = batch_counts(log_counts_sql(stage, batch.tells_undeclared)) -%}
    {%- if counts.others -%}
        {%- do refuse_batch(stage, model.name, reused_offsets_problem(counts.others, batch.raw)) -%}
    {%- endif -%}
    {%- do report_undeclared(stage, counts, batch.raw, settings.on_undeclared) -%}
    {%- do quarantine_batch(stage, batch, counts.quarantined, settings.on_bad_rows) -%}
    {%- if not batch.is_rebuild -%}
        {%- do evolve(target, evolution, model.name) -%}
    {%- endif -%}
    {%- set properties = commit_properties(
        batch,
        counts,
        {'epochs': none, 'floor': none, 'end': none},
        'rebuild' if batch.is_rebuild else 'append'
    ) -%}
    {%- call(into) commit_batch(target, [stage], batch, counts, properties) -%}
        {%- if batch.is_rebuild -%}
            {{ rebuild_log_sql(into, stage, settings, evolution.names) }}
        {%- else -%}
            {{ append_sql(into, stage, evolution.names) }}
        {%- endif -%}
    {%- endcall -%}
{% endmacro %}
