{% macro batch_counts(stage, target, tombstones, unique_key, known_floor, floor) %}
    {%- set row = run_query(
        batch_counts_sql(stage, target, tombstones, unique_key, known_floor, floor)
    ).rows[0] -%}
    {%- set counts = {'max_src_ts': row['max_src_ts']} -%}
    {%- for name in [
        'read', 'applied', 'stale', 'duplicate', 'ignored', 'quarantined', 'deletes', 'ambiguous',
        'outdated',
    ] -%}
        {%- do counts.update({name: row[name] | int}) -%}
    {%- endfor -%}
    {{ return(counts) }}
{% endmacro %}
