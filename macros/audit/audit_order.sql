{% macro audit_order(row) -%}
struct({{ row }}._tx_epoch, {{ row }}._tx_rank, {{ row }}._tx_order)
{%- endmacro %}
