{# PostgreSQL: a change has the LSN of its own behind the transaction's number, and its END that of the commit #}
{% macro transaction_id(id) -%}
if({{ id }} rlike '^[0-9]+:[0-9]+$', split_part({{ id }}, ':', 1), {{ id }})
{%- endmacro %}
