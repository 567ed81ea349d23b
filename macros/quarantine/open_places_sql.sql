{# what has judged them once need not again #}
{% macro open_places_sql(model_name, judged_by) -%}
(
    select distinct
        _kfk_partition,
        _kfk_offset
    from {{ ops_table('quarantine') }}
    where
        model = '{{ model_name }}'
        and settled_at is null
        and judged_by is distinct from '{{ judged_by }}'
)
{%- endmacro %}
