{# a record of an erased key is read as one without key and value: all that reads changes ignores it #}
{% macro kept_out_sql(table, raw_name, erased_keys) -%}
(
    select
        if(erased.key_hash is null, raw.key, null) as key,
        if(erased.key_hash is null, raw.value, null) as value,
        raw.* except (key, value)
    from (select * from {{ table }}) as raw
    left join (
        select distinct key_hash
        from {{ erased_keys }}
        where raw_table = {{ lakemirror_string(raw_name) }}
    ) as erased
        on {{ erased_hash('raw.key', raw_name, erased_keys) }} = erased.key_hash
)
{%- endmacro %}
