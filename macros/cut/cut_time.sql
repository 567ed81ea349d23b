{% macro cut_time(source_names, model_name) %}
    {%- set found = run_query(cut_time_sql(ref('watermarks'), source_names)).rows[0] -%}
    {%- for name in source_names | reject('in', fromjson(found['source_names'])) -%}
        {%- do refuse_unheard(name, model_name) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
