{# an incremental snapshot does not say which row is its last, and a query may not tell it #}
{% macro snapshot_end_sql(changes, is_told) -%}
    select
        cast(coalesce(
            {%- if is_told %}
            min(_src_ts) filter (where _src_snapshot in ('last', 'last_in_data_collection')),
            {%- endif %}
            max(_src_ts) filter (where _op = 'r')
        ) as string) as known_from
    from {{ changes }}
{%- endmacro %}
