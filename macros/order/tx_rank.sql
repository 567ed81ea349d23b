{% macro tx_rank(connector, epoch='0', rank=none, order='0', log='null') -%}
    {%- if connector in ['mariadb', 'mysql'] -%} {{ tx_rank_mariadb() }}
    {%- elif connector == 'vitess' -%} {{ tx_rank_vitess() }}
    {%- elif connector == 'postgresql' -%} {{ tx_rank_postgresql() }}
    {%- elif connector == 'generic' and rank -%} {{ tx_rank_generic(epoch, rank, order, log) }}
    {%- else -%}
        {%- do exceptions.raise_compiler_error(
            'tx_rank: there is no order for the connector ' ~ connector ~ '; there is one for '
            ~ 'mariadb, mysql, postgresql and vitess, and for generic with rank=...'
        ) -%}
    {%- endif -%}
{%- endmacro %}
