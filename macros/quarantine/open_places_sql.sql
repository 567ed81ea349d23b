{# what has judged them once need not again. Comet's scan leaves out nulls where a column is distinct from a literal #}
{% macro open_places_sql(model_name, judged_by) -%}
(
    select distinct
        _kfk_partition,
        _kfk_offset
    from ops.quarantine
    where
        model = '{{ model_name }}'
        and settled_at is null
        and coalesce(judged_by, '') <> '{{ judged_by }}'
)
{%- endmacro %}
