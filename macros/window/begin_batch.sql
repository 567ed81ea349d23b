{# what a run has to read and to follow; only a new table or a window needs the query's columns #}
{% macro begin_batch(target, existing) %}
    {%- set is_rebuild = existing is not none and flags.FULL_REFRESH and var('allow_full_refresh', false) -%}
    {%- set raw = raw_of_changes(compiled_code, model.name) -%}
    {%- do refuse_to_lose(existing, is_rebuild, model.name) -%}
    {%- if existing is none -%}
        {%- do await_raw(raw, model.name) -%}
    {%- endif -%}
    {%- set previous = adapter.newest_own_commit(target) if existing is not none else none -%}
    {%- set is_first = existing is none or previous is none and adapter.is_unwritten(target) -%}
    {%- set start = none if is_rebuild or var('replay', false) else previous -%}
    {%- set window = adapter.next_window(raw, start, model.name) -%}
    {%- set is_idle = window is none and existing is not none -%}
    {%- set columns = [] if is_idle else columns_of_query(pinned(compiled_code, raw, '')) -%}
    {{ return({
        'raw': raw,
        'window': window,
        'columns': mirrored_columns(columns),
        'tells_undeclared': columns | selectattr('name', 'equalto', '_undeclared') | list | length == 1,
        'previous': previous,
        'is_rebuild': is_rebuild,
        'is_first': is_first,
    }) }}
{% endmacro %}
