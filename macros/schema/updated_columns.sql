{# what a table's rows have once its updates have run #}
{% macro updated_columns(names, updates) %}
    {%- set values = {} -%}
    {%- for name in names -%}
        {%- do values.update({name: quoted(name)}) -%}
    {%- endfor -%}
    {%- for column in updates.fills -%}
        {%- do values.update({column.name: column.expression}) -%}
    {%- endfor -%}
    {%- set columns = [] -%}
    {%- for name in names -%}
        {%- do columns.append({'name': name, 'expression': values[name]}) -%}
    {%- endfor -%}
    {{ return(renewed_columns(columns, updates.returned)) }}
{% endmacro %}
