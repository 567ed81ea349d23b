{# a late column was declared before the source had it: there is nothing but null to replace. From when the column was missing, a row has null in it, and gets the default as well #}
{% macro is_outlived(column, value) -%}
    ({{ is_before(column.until, is_row=true) | indent(4) }})
    {%- if column.is_late %} and {{ value }} is null
    {%- elif not column.default %} and {{ value }} is not null
    {%- elif column.since %}
    or ({{ is_before(column.since, is_row=true) | indent(4) }}) and {{ value }} is null
    {%- endif -%}
{%- endmacro %}
