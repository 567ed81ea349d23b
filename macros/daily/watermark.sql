{% macro watermark(source_name, model_name) %}
    {%- set found = run_query(watermark_sql(ref('watermarks'), source_name)).rows[0] -%}
    {%- if not found['shards'] -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': ops.watermarks has no row for the source ' ~ source_name
            ~ ' (config source_name). Add its heartbeats to models/ops/watermarks.sql.'
        ) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
