{% macro advice_values(model_name, settings, facts, advice) -%}
(
    '{{ model_name }}',
    {{ facts['live_rows'] }},
    {{ facts['size'] or 0 }},
    {{ settings.buckets or 'null' }},
    {{ lakemirror_string(settings.bucket_by) }},
    {{ advice.buckets or 'null' }},
    {{ lakemirror_string(advice.bucket_by) }},
    {{ lakemirror_string(advice.reason) }},
    current_timestamp()
)
{%- endmacro %}
