{# why rows must not be removed after a snapshot, or nothing #}
{% macro snapshot_problem(snapshot) -%}
    {%- set again = 'Let the connector take a full snapshot of the table, land it, run the model, and '
        ~ 'then resync.' -%}
    {%- if not snapshot -%}
        raw has no row of a full snapshot. An empty table gives none, Vitess does not mark its copies,
        {{- ' ' }}and incremental snapshots do not count. {{ again }}
    {%- elif snapshot.is_older -%}
        the newest full snapshot by the source's order, of {{ snapshot._src_ts }}, is not the newest
        {{- ' ' }}by its time: the order of the source went back. Say in the var epochs what to add from
        {{- ' ' }}the later snapshot on, for example `epochs: [{from: '2026-11-21 00:00:48', epoch: 1}]`,
        {{- ' ' }}and rebuild the mirror.
    {%- elif not snapshot.has_end or not snapshot.has_begin -%}
        the newest full snapshot, of {{ snapshot._src_ts }}, is not complete in raw: it has
        {{- ' ' }}{{ snapshot.rows }} rows, and not the record that marks its
        {{- ' ' }}{{ 'end' if snapshot.has_begin else 'beginning' }}. Land all of it, or: {{ again }}
    {%- elif snapshot.keyless -%}
        {{ snapshot.keyless }} rows of the newest full snapshot have no key that can be read. See
        {{- ' ' }}ops.quarantine.
    {%- endif -%}
{%- endmacro %}
