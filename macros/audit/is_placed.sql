{# a change that can be used, and has its place in the log #}
{% macro is_placed() -%}
coalesce(_op, '') not in ('tombstone', 'm', '')
and coalesce(_undecodable, '') = ''
and _tx_epoch is not null
and _tx_rank is not null
and _tx_order is not null
{%- endmacro %}
