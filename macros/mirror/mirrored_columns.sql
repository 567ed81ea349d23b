{# what a mirror keeps of its query's columns: name and data_type #}
{% macro mirrored_columns(query) %}
    {%- set columns = [] -%}
    {%- for row in run_query('describe query ' ~ query).rows
        if row['col_name'] not in ['_undecodable', '_src_snapshot'] -%}
        {%- do columns.append({'name': row['col_name'], 'data_type': row['data_type']}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}
