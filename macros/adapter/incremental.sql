{# dbt-spark's drops the table on a full refresh; here it is replaced, and its history stays #}
{% materialization incremental, adapter='lakemirror', supported_languages=['sql', 'python'] %}
    {%- set strategy = config.get('incremental_strategy') or 'merge' -%}
    {%- do dbt_spark_validate_get_incremental_strategy(strategy, 'iceberg') -%}
    {%- set on_change = incremental_validate_on_schema_change(
        config.get('on_schema_change'), default='ignore'
    ) -%}
    {%- set language = model['language'] -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}

    {{ run_hooks(pre_hooks) }}
    {%- do lakemirror_make_way(existing) -%}
    {%- if existing is none or existing.is_view or should_full_refresh() -%}
        {%- call statement('main', language=language) -%}
            {{ create_table_as(False, target, compiled_code, language) }}
        {%- endcall -%}
    {%- else -%}
        {%- set new_rows = make_temp_relation(this) -%}
        {%- call statement('new_rows', language=language) -%}
            {{ create_table_as(True, new_rows, compiled_code, language) }}
        {%- endcall -%}
        {%- do process_schema_changes(on_change, new_rows, existing) -%}
        {%- if strategy in ['insert_overwrite', 'microbatch'] -%}
            {%- do run_query('set spark.sql.sources.partitionOverwriteMode = dynamic') -%}
        {%- endif -%}
        {%- call statement('main') -%}
            {{ dbt_spark_get_incremental_sql(
                strategy, new_rows, target, existing, config.get('unique_key'),
                config.get('incremental_predicates') or config.get('predicates'),
            ) }}
        {%- endcall -%}
    {%- endif -%}
    {%- do persist_docs(target, model) -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
