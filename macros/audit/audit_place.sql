{% macro audit_place(place) -%}
struct({{ place._tx_epoch }}L as _tx_epoch, {{ place._tx_rank }}L as _tx_rank, {{ place._tx_order }}L as _tx_order)
{%- endmacro %}
