{% macro cut_time(source_names, model_name) %}
    {%- for name in source_names -%}
        {%- do watermark(name, model_name) -%}
    {%- endfor -%}
    {{ return(run_query(cut_time_sql(ref('watermarks'), source_names)).rows[0]) }}
{% endmacro %}
