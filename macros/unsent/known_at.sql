{# a column that _unsent does not name is known as of the row itself #}
{% macro known_at(row, name) -%}
coalesce(
    get(filter({{ row }}._unsent, known -> known.name = {{ name }}), 0),
    struct(
        {{ name }} as name,
        {{ row }}._tx_epoch,
        {{ row }}._tx_rank,
        {{ row }}._tx_order,
        {{ row }}._kfk_partition,
        {{ row }}._kfk_offset
    )
)
{%- endmacro %}
