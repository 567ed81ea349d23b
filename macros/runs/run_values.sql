{% macro run_values(result, did) -%}
(
    '{{ invocation_id }}',
    '{{ result.node.name }}',
    '{{ result.status }}',
    {{ lakemirror_string(result.message) if result.message else 'null' }},
    timestamp '{{ run_started_at }}',
    {{ result.execution_time }},
    {{ lakemirror_string(did['merged_by']) if did else 'null' }},
    {%- for name in ['read', 'applied', 'stale', 'duplicate', 'ignored', 'quarantined'] %}
    {{ did[name] if name in did else 'null' }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
