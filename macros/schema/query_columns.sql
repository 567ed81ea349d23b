{# name and data_type of each column #}
{% macro query_columns(query) %}
    {%- set columns = [] -%}
    {%- for row in run_query('describe query ' ~ query).rows -%}
        {%- do columns.append({'name': row['col_name'], 'data_type': row['data_type']}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}
