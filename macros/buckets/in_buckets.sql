{% macro in_buckets(row, settings, touched) -%}
    {%- if touched %}
    and {{ bucket_of(row, settings) }} in ({{ touched | join(', ') }})
    {%- endif -%}
{%- endmacro %}
