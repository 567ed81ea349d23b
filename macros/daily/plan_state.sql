{# what a mirror was at a time is made of: its newest commit from before it, and the changes since. With a
   change from before what the tombstones remember, all of raw is read: it has the deletes #}
{% macro plan_state(raw, mirror, changes, columns, time) %}
    {%- set base = none if var('replay', false) else adapter.newest_commit_before(mirror, time) -%}
    {%- set window = adapter.next_window(raw, base, model.name) -%}
    {%- set memory = adapter.memory(tombstones_of(mirror)) -%}
    {%- if memory.pruned_until and memory.may_lack(changed_from(raw, window)) -%}
        {%- set base = none -%}
        {%- set window = adapter.next_window(raw, none, model.name) -%}
    {%- endif -%}
    {%- if base is none -%}
        {%- do refuse_lacking(raw, mirror, time, model.name) -%}
    {%- endif -%}
    {%- set fitted = fitted_changes(changes, columns, raw) -%}
    {{ return({
        'base': base,
        'before': before_midnight(mirror, base, columns, raw, fitted.places),
        'floor': adapter.known_floor(base),
        'changes': fitted.rows,
        'deletes': memory.deletes,
        'columns': columns | map(attribute='name') | list,
        'time': time,
        'clause': window.clause if window else 'where false',
    }) }}
{% endmacro %}
