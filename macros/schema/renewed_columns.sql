{# as fill_sql and renew_sql do it, in a query #}
{% macro renewed_columns(columns, returned) %}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set value = [column.expression] -%}
        {%- for back in returned if back.name == column.name -%}
            {%- do value.append(
                'case when ' ~ is_outlived(back, column.expression) ~ ' then ' ~ (back.default or 'null')
                ~ ' else ' ~ column.expression ~ ' end'
            ) -%}
        {%- endfor -%}
        {%- do found.append({'name': column.name, 'expression': value | last}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
