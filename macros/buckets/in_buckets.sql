{% macro in_buckets(settings, touched) %}
    and {{ bucket_of('target', settings) }} in ({{ touched | join(', ') }})
{%- endmacro %}
