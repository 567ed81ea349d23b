{% macro commit_properties(batch, counts, logs, merged_by, unique_key=none, returned=[]) %}
    {%- set before = batch.previous.summary.get('lakemirror.max-src-ts') if batch.previous else none -%}
    {%- set undeclared = [] if batch.is_rebuild or not batch.previous
        else fromjson(batch.previous.summary.get('lakemirror.undeclared', '[]')) -%}
    {%- set undeclared = (undeclared + counts.undeclared) | unique | sort -%}
    {%- set renewals = [] -%}
    {%- for column in returned -%}
        {%- do renewals.append(renewal(column)) -%}
    {%- endfor -%}
    {%- set newest = [before, counts.max_src_ts] | reject('none') | max | default(none) -%}
    {{ return({
        'raw-table': batch.raw,
        'raw-snapshot-id': batch.window.end,
        'merged-by': merged_by,
        'max-src-ts': newest,
        'read': counts.read,
        'applied': counts.applied,
        'stale': counts.stale,
        'duplicate': counts.duplicate,
        'ignored': counts.ignored,
        'quarantined': counts.quarantined,
        'unguarded': counts.unguarded or none,
        'unknown': counts.unknown,
        'undeclared': undeclared | tojson if undeclared else none,
        'epochs': logs.epochs | tojson if logs.epochs else none,
        'floor': logs.floor | tojson if logs.floor else none,
        'end': logs.end | tojson if logs.end is not none else none,
        'returned': renewals | tojson if renewals else none,
        'key': unique_key | tojson if unique_key else none,
        'invocation-id': invocation_id,
    }) }}
{% endmacro %}
