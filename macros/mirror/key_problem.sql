{% macro key_problem(unique_key, known, source_key, model_name) -%}
    {{ model_name }}: {{ 'the source has another key' if source_key else 'unique_key has changed' }}:
    {{- ' ' }}it was {{ (unique_key if source_key else known) | join(', ') }} and is
    {{- ' ' }}{{ (source_key or unique_key) | join(', ') }}. Nothing was written.
    {{- ' Set unique_key, and rebuild' if source_key else ' Rebuild' }} the mirror from raw:
    {{- ' ' }}{{ rebuild_command(model_name) }}
{%- endmacro %}
