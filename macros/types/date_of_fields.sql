{% macro date_of_fields(value, type) -%}
if({{ value }}.specialValue is null, try_cast({{ date_text(value) }} as date), null)
{%- endmacro %}
