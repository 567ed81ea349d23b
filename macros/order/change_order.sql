{% macro change_order(row) -%}
struct(
    {{ row }}._tx_epoch, {{ row }}._tx_rank, {{ row }}._tx_order,
    -{{ row }}._kfk_partition, -{{ row }}._kfk_offset
)
{%- endmacro %}
