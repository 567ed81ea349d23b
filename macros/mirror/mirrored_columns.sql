{# the columns that a mirror keeps of its query's: name and data_type #}
{% macro mirrored_columns(query) %}
    {%- set columns = [] -%}
    {%- for row in run_query('describe query ' ~ query).rows if row['col_name'] != '_is_undecodable' -%}
        {%- do columns.append({'name': row['col_name'], 'data_type': row['data_type']}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}
