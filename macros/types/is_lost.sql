{# a MySQL zero date is no value #}
{% macro is_lost(typed, value, type) -%}
{{ typed }} is null and {{ value }} is not null
{%- if type.zero and type.json == 'string' %} and {{ value }} not like '0000-00-00%'
{%- elif type.zero %} and ({{ value }}.year <> 0 or {{ value }}.month <> 0 or {{ value }}.day <> 0)
{%- endif -%}
{%- endmacro %}
