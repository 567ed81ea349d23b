{% macro unguarded_warning(unguarded, pruned_until, model_name) -%}
    {{ model_name }}: {{ unguarded }} new rows are from before {{ pruned_until }}, whose deletes are
    {{- ' ' }}forgotten (tombstone_retention_days): one that was deleted may be back. To be sure, rebuild
    {{- ' ' }}the mirror from raw: {{ rebuild_command(model_name) }}
{%- endmacro %}
