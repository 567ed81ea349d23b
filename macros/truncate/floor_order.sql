{% macro floor_order(floor) -%}
    struct(
        {{ floor._tx_epoch }}L as _tx_epoch,
        {{ floor._tx_rank }}L as _tx_rank,
        {{ floor._tx_order }}L as _tx_order
    )
{%- endmacro %}
