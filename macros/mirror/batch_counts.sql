{# events of a key count as applied together: they were folded into what its row now is. Unguarded are
   new rows from before the horizon: a delete of theirs may be forgotten #}
{% macro batch_counts(batch, shape, required, pruned_until=none) -%}
{{ undeclared_names("_outcome = 'change' and _is_applied", batch.tells_undeclared) }} as undeclared,
coalesce(sum(_events), 0) as read,
coalesce(sum(_orders) filter (where _is_ordered and _is_applied), 0) as applied,
coalesce(sum(_orders - int(_is_same)) filter (where _is_ordered and not _is_applied), 0)
    as stale,
coalesce(
    sum(_events - _orders + int(_is_same and not _is_applied)) filter (where _is_ordered), 0
) as duplicate,
coalesce(sum(_events) filter (where _outcome = 'ignored'), 0) as ignored,
coalesce(sum(_events) filter (where not _is_ordered and _outcome <> 'ignored'), 0)
    as quarantined,
coalesce(sum(_delete_count) filter (where _outcome = 'change'), 0) as deletes,
count_if(_outcome = 'change' and _is_outdated) as outdated,
count_if(_outcome = 'change' and _is_applied) as changed,
count_if(_outcome = 'change' and (_is_ambiguous or _is_same and not _is_applied))
    as ambiguous,
{{ "count_if(_outcome = 'change' and _is_partial)" if shape.filled else 0 }} as partial,
{% if pruned_until -%}
count_if(
    _outcome = 'change'
    and _is_applied
    and _is_new_row
    and _op <> 'd'
    and _src_ts < timestamp '{{ pruned_until }}'
)
{%- else -%}
0
{%- endif %} as unguarded,
{% if required -%}
count_if(_outcome = 'change' and _is_applied and (
    {%- for name in required %}
    {{ quoted(name) }} is null{{ ' or' if not loop.last }}
    {%- endfor %}
))
{%- else -%}
0
{%- endif %} as incomplete,
{%- if batch.tells_snapshot %}
to_json(max(_snapshot_end), map('ignoreNullFields', 'false')) as snapshot,
{%- endif %}
cast(max(_src_ts) filter (where _is_ordered) as string) as max_src_ts
{%- endmacro %}
