{# how many records of erased keys there are, as they have landed #}
{% macro kept_out_count_sql(table, raw_name, erased_keys) %}
    select count(*) as records
    from (select * from {{ table }}) as raw
    where {{ erased_hash('raw.key', raw_name, erased_keys) }} in (
        select key_hash
        from {{ erased_keys }}
        where raw_table = {{ lakemirror_string(raw_name) }}
    )
{% endmacro %}
