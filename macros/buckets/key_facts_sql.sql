{# key_1 and so on: about how many values each column of the key has #}
{% macro key_facts_sql(relation, unique_key, files=none) %}
    select
        count(*) as live_rows
        {%- for name in unique_key %},
        approx_count_distinct({{ quoted(name) }}) as key_{{ loop.index }}
        {%- endfor %}
        {%- if files %},
        (select sum(file_size_in_bytes) from {{ files }}) as size
        {%- endif %}
    from {{ relation }}
{% endmacro %}
