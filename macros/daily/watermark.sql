{% macro watermark(source_name, model_name) %}
    {%- set found = run_query(watermark_sql(ref('watermarks'), source_name)).rows[0] -%}
    {%- if not found['shards'] -%}
        {%- do refuse_unheard(source_name, model_name) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
