{% macro rebuilt_rows_sql(stage, shape) -%}
{{ live_rows_sql(stage, shape) }}
{%- if shape.deletes == 'hard' %} and _op <> 'd'{% endif %}
{%- endmacro %}
