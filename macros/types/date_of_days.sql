{# before 4713 BC there are no dates: the connector's -infinity or infinity #}
{% macro date_of_days(value, type) -%}
if({{ value }} >= -2440588, date_from_unix_date({{ value }}), null)
{%- endmacro %}
