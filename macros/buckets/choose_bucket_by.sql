{# of a new table: the column of its key that has the most values in its first changes #}
{% macro choose_bucket_by(batch, settings, model_name) %}
    {%- set changes = pinned(compiled_code, batch.raw, batch.window.clause if batch.window else '') -%}
    {%- set names = adapter.bucketable(batch.columns, settings.key) -%}
    {%- set facts = run_query(key_facts_sql('(' ~ changes ~ ')', names)).rows[0] -%}
    {%- set advice = adapter.bucket_advice(0, values_of_key(facts, names)) -%}
    {%- do log(model_name ~ ': bucket_by=' ~ advice.bucket_by ~ ': ' ~ advice.reason, info=true) -%}
    {{ return(advice.bucket_by) }}
{% endmacro %}
