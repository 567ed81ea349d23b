{# dbt run-operation bucket_advice, or with --args '{model: mirror_shop__orders}' #}
{% macro bucket_advice(model=none) %}
    {%- set rows = [] -%}
    {%- for node in nodes_of('mirror', model, 'bucket_advice') -%}
        {%- set settings = mirror_settings(node.config, node.name) -%}
        {%- set mirror = mirror_of(node) -%}
        {%- if load_relation(mirror) is not none -%}
            {%- set facts = run_query(bucket_facts_sql(mirror, settings.key)).rows[0] -%}
            {%- do settings.update(bucket_by=find_bucket_by(mirror, settings)) -%}
            {%- set advice = adapter.bucket_advice(
                facts['size'], values_of_key(facts, settings.key)
            ) -%}
            {%- do rows.append(advice_values(node.name, settings, facts, advice)) -%}
            {%- do log(
                node.name ~ ': buckets=' ~ advice.buckets ~ ', bucket_by=' ~ advice.bucket_by
                ~ ' (it has ' ~ settings.buckets ~ ', ' ~ settings.bucket_by ~ '): ' ~ advice.reason,
                info=true
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if rows -%}
        {%- do run_query(advice_table_sql()) -%}
        {%- do run_query('insert into ops.bucket_advice values ' ~ rows | join(', ')) -%}
    {%- endif -%}
{% endmacro %}
