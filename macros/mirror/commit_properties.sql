{% macro commit_properties(raw, window, previous, counts, logs) %}
    {%- set before = previous.summary.get('lakemirror.max-src-ts') if previous else none -%}
    {%- set newest = [before, counts.max_src_ts] | reject('none') | max | default(none) -%}
    {{ return({
        'raw-table': raw,
        'raw-snapshot-id': window.end,
        'max-src-ts': newest,
        'read': counts.read,
        'applied': counts.applied,
        'stale': counts.stale,
        'duplicate': counts.duplicate,
        'ignored': counts.ignored,
        'quarantined': counts.quarantined,
        'epochs': logs.epochs | tojson if logs.epochs else none,
        'floor': logs.floor | tojson if logs.floor else none,
        'invocation-id': invocation_id,
    }) }}
{% endmacro %}
