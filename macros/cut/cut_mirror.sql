{# a snapshot of a mirror as its source was at a time; a tag keeps it for a week #}
{% macro cut_mirror(mirror, heard, known_from) %}
    {%- set time = heard['complete_until'] -%}
    {%- set commit = adapter.newest_own_commit(mirror.relation) -%}
    {%- if commit is none -%}
        {%- do exceptions.raise_compiler_error(
            model.name ~ ': ' ~ mirror.name ~ ' has merged nothing yet. Run its model first.'
        ) -%}
    {%- endif -%}
    {%- set raw = commit.summary['lakemirror.raw-table'] -%}
    {%- set known_from = known_from or first_known(none, heard['heard_from'], raw, mirror.changes) -%}
    {%- if known_from and known_from > time -%}
        {%- do exceptions.raise_compiler_error(
            model.name ~ ': ' ~ mirror.name ~ ' is known from ' ~ known_from ~ ' on, and the sources are '
            ~ 'complete until ' ~ time ~ '. The former cut stands; run it again later.'
        ) -%}
    {%- endif -%}
    {%- set columns = daily_columns(mirror.relation) -%}
    {%- set plan = plan_state(raw, mirror.relation, mirror.changes, columns, time) -%}
    {%- set snapshot = snapshot_of_state(raw, mirror.relation, mirror.key, plan) -%}
    {%- do adapter.execute_until_committed(cut_tag_sql(mirror.name, snapshot, time)) -%}
    {{ return({
        'mirror': mirror.name, 'snapshot_id': snapshot, 'complete_until': time, 'known_from': known_from,
    }) }}
{% endmacro %}
