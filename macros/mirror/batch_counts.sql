{% macro batch_counts(query) %}
    {%- set row = run_query(query).rows[0] -%}
    {%- set counts = {
        'max_src_ts': row['max_src_ts'], 'undeclared': fromjson(row['undeclared']), 'unknown': none,
    } -%}
    {%- for name in row.keys() if name not in counts -%}
        {%- do counts.update({name: row[name] | int}) -%}
    {%- endfor -%}
    {{ return(counts) }}
{% endmacro %}
