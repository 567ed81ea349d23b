{% macro refuse_unheard(source_name, model_name) %}
    {%- do exceptions.raise_compiler_error(
        model_name ~ ': ops.watermarks has no row for the source ' ~ source_name
        ~ '. Add its heartbeats to models/ops/watermarks.sql.'
    ) -%}
{% endmacro %}
