{# an incremental snapshot does not say which row is its last #}
{% macro snapshot_end_sql(changes) -%}
    select
        cast(coalesce(
            min(_src_ts) filter (where _src_snapshot in ('last', 'last_in_data_collection')),
            max(_src_ts) filter (where _op = 'r')
        ) as string) as known_from
    from {{ changes }}
{%- endmacro %}
