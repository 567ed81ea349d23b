{# what is decoded, and has its place in the log #}
{% macro is_placed() -%}
coalesce(_undecodable, '') = ''
and _tx_epoch is not null
and _tx_rank is not null
and _tx_order is not null
{%- endmacro %}
