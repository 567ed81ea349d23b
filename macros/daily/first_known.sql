{# a table that the connector has taken up by a snapshot is known from its end on. Days carry it on, since a
   later snapshot changes nothing of it #}
{% macro first_known(previous, heard_from, raw, changes) %}
    {%- set told = previous.summary.get('lakemirror.known-from') if previous else none -%}
    {%- set window = none if told else adapter.next_window(raw, none, model.name) -%}
    {%- if window is not none -%}
        {%- set columns = columns_of_query(with_staging('select * from ' ~ changes)) -%}
        {%- set query = with_staging(snapshot_end_sql(
            changes, '_src_snapshot' in columns | map(attribute='name')
        )) -%}
        {%- set told = run_query(pinned(query, raw, window.clause)).rows[0][0] -%}
    {%- endif -%}
    {{ return([heard_from, told] | select | max if heard_from else none) }}
{% endmacro %}
