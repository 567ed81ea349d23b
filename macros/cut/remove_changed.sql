{# the rows that state_sql makes anew or lets go of #}
{% macro remove_changed(branch, raw, mirror, plan) %}
    {%- set touched = api.Relation.create(
        identifier=mirror.relation.identifier ~ '__cut_' ~ invocation_id[:8]
    ) -%}
    {%- do set_session({'spark.sql.legacy.storeAnalyzedPlanForView': 'true'}) -%}
    {%- set query = with_staging(changed_before_sql(plan.changes, mirror.key, plan.time)) -%}
    {%- do run_query('cache table ' ~ touched ~ ' as ' ~ pinned(query, raw, plan.clause)) -%}
    {%- set found = run_query(changed_counts_sql(touched)).rows[0] -%}
    {%- if found['changes'] | int -%}
        {%- do run_query(remove_keys_sql(branch, touched, mirror.key)) -%}
    {%- endif -%}
    {%- if found['_tx_rank'] is not none -%}
        {%- do run_query(
            'delete from ' ~ branch ~ ' as target where ' ~ floor_condition('target', '<', found)
        ) -%}
    {%- endif -%}
    {%- if unsent_columns(plan.columns, mirror.key) -%}
        {%- do run_query('delete from ' ~ branch ~ ' as target where target._unsent is not null') -%}
    {%- endif -%}
    {%- do run_query(remove_deleted_sql(branch, plan.deletes, mirror.key, plan.time)) -%}
    {%- do drop_batch(touched) -%}
{% endmacro %}
