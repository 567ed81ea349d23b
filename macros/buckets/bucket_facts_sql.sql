{% macro bucket_facts_sql(mirror, unique_key) %}
    select
        *,
        (select sum(file_size_in_bytes) from {{ mirror }}.data_files) as size
    from (
        {{ key_facts_sql(mirror, unique_key) | indent(8) }}
    )
{% endmacro %}
