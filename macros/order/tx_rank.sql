{% macro tx_rank(connector) -%}
    {%- if connector in ['mariadb', 'mysql'] -%} {{ tx_rank_mariadb() }}
    {%- elif connector == 'vitess' -%} {{ tx_rank_vitess() }}
    {%- else -%}
        {%- do exceptions.raise_compiler_error(
            'tx_rank: there is no order for the connector ' ~ connector ~ '; there is one for '
            ~ 'mariadb, mysql and vitess.'
        ) -%}
    {%- endif -%}
{%- endmacro %}
