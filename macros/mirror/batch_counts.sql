{% macro batch_counts(query) %}
    {%- set row = run_query(query).rows[0] -%}
    {%- set counts = {'max_src_ts': row['max_src_ts'], 'unknown': none} -%}
    {%- for name in row.keys() if name != 'max_src_ts' -%}
        {%- do counts.update({name: row[name] | int}) -%}
    {%- endfor -%}
    {{ return(counts) }}
{% endmacro %}
