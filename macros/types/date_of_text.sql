{# the text is compared: a cast alone would drop a time #}
{% macro date_of_text(value, type) -%}
{%- set date = 'try_cast(rtrim(\'Z\', ' ~ value ~ ') as date)' -%}
if(cast({{ date }} as string) = rtrim('Z', {{ value }}), {{ date }}, null)
{%- endmacro %}
