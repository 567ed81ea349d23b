{# as raw has them now: what is in the quarantine lacks the times #}
{% macro open_records_sql(records, open_places, ranges) -%}
(
    select records.*
    from {{ records }} as records
    left semi join {{ open_places }} as places
        on
            records._kfk_partition = places._kfk_partition
            and records._kfk_offset = places._kfk_offset
    where
        {{ offset_condition(ranges) | indent(8) }}
)
{%- endmacro %}
