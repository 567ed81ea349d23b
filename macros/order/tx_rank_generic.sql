{% macro tx_rank_generic(epoch, rank, order, log='null') -%}
cast({{ log }} as string) as _tx_log,
try_cast({{ epoch }} as bigint) as _tx_epoch,
try_cast({{ rank }} as bigint) as _tx_rank,
try_cast({{ order }} as bigint) as _tx_order
{%- endmacro %}
