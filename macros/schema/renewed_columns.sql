{# as renew_sql does it, in a query #}
{% macro renewed_columns(projected, columns, returned) %}
    {%- set since = {} -%}
    {%- for column in returned -%}
        {%- do since.update({column.name: column}) -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set expression = projected[loop.index0].expression -%}
        {%- set back = since.get(column.name) -%}
        {%- do found.append({
            'name': column.name,
            'expression': expression if not back else (
                'case when ' ~ is_outlived(back, expression) ~ ' then cast('
                ~ (back.default or 'null') ~ ' as ' ~ column.data_type ~ ') else ' ~ expression ~ ' end'
            ),
        }) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
