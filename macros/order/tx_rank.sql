{# the connector is the source's own, so that no model can name another #}
{% macro tx_rank(source, epoch='0', rank=none, order='0', log='null') -%}
{%- if source is string -%}
    {%- if source != 'generic' or not rank -%}
        {%- do exceptions.raise_compiler_error(
            "tx_rank takes the source whose connector it is, as in tx_rank(source('shop', 'orders')), or the "
            ~ "expressions of another producer: tx_rank('generic', epoch=..., rank=..., order=...)"
        ) -%}
    {%- endif -%}
    cast({{ log }} as string) as _tx_log,
    try_cast({{ epoch }} as bigint) as _tx_epoch,
    try_cast({{ rank }} as bigint) as _tx_rank,
    try_cast({{ order }} as bigint) as _tx_order
{%- else -%}
    {%- set connector = adapter.source_of(source).connector -%}
    {%- if connector in ['mariadb', 'mysql'] -%} {{ tx_rank_mariadb() }}
    {%- elif connector == 'vitess' -%} {{ tx_rank_vitess() }}
    {%- elif connector == 'postgresql' -%} {{ tx_rank_postgresql() }}
    {%- endif -%}
{%- endif -%}
{%- endmacro %}
