{# name and data_type of each column #}
{% macro columns_of_query(query) %}
    {%- set columns = [] -%}
    {%- for row in run_query('describe query ' ~ query).rows -%}
        {%- do columns.append({'name': row['col_name'], 'data_type': row['data_type']}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}
