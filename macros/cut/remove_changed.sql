{# the rows that state_sql makes anew or lets go of #}
{% macro remove_changed(branch, raw, mirror, unique_key, plan) %}
    {%- set touched = stage_relation(mirror, is_cached=true) -%}
    {%- do adapter.set_session({'spark.sql.legacy.storeAnalyzedPlanForView': 'true'}) -%}
    {%- set query = with_staging(changed_before_sql(plan.changes, unique_key, plan.time)) -%}
    {%- do run_query(stage_sql(touched, pinned(query, raw, plan.clause), none)) -%}
    {%- set found = run_query(changed_counts_sql(touched)).rows[0] -%}
    {%- set floor = found if found['_tx_rank'] is not none else none -%}
    {%- do remove_replaced(
        branch, touched, {'key': unique_key}, found['changes'] | int, floor, is_judged=false
    ) -%}
    {%- if unsent_columns(plan.columns, unique_key) -%}
        {%- do run_query('delete from ' ~ branch ~ ' as target where target._unsent is not null') -%}
    {%- endif -%}
    {%- do run_query(remove_deleted_sql(branch, plan.deletes, unique_key, plan.time)) -%}
    {%- do drop_batch(touched) -%}
{% endmacro %}
