{% macro watermark(source_name, model_name) %}
    {%- set rows = run_query(
        "select heard_from, complete_until from " ~ ref('watermarks')
        ~ " where source_name = '" ~ source_name ~ "'"
    ).rows -%}
    {%- if rows | length != 1 -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': ops.watermarks has no row for the source ' ~ source_name
            ~ ' (config source_name). Add its heartbeats to models/ops/watermarks.sql.'
        ) -%}
    {%- endif -%}
    {{ return(rows[0]) }}
{% endmacro %}
