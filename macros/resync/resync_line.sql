{% macro resync_line(model_name, target, snapshot, rows, keys) -%}
    {{ model_name }}: the newest full snapshot has {{ snapshot.rows }} rows, of {{ snapshot._src_ts }},
    {{- ' ' }}order ({{ snapshot._tx_epoch }}, {{ snapshot._tx_rank }}, {{ snapshot._tx_order }}).
    {{- ' ' }}{{ rows }} rows of {{ target }} are older and not in it
    {%- if rows %}, such as {{ keys | join(' ') }}. They are removed by
    {{- ' ' }}dbt run --select {{ model_name }} --vars '{resync: apply}'
    {%- endif -%}
{%- endmacro %}
