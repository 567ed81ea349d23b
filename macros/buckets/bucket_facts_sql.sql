{# key_1 and so on: about how many values each column of the key has #}
{% macro bucket_facts_sql(mirror, unique_key) %}
    select
        count(*) as live_rows,
        (select sum(file_size_in_bytes) from {{ mirror }}.data_files) as size
        {%- for name in unique_key %},
        approx_count_distinct({{ quoted(name) }}) as key_{{ loop.index }}
        {%- endfor %}
    from {{ mirror }}
{% endmacro %}
