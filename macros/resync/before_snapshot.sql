{# a row that streamed after the snapshot, or lives in another log's keys, is none of its business #}
{% macro before_snapshot(row, snapshot) -%}
    {{ row }}._op <> 'd'
    and {{ same_lineage(row ~ '._tx_log', snapshot_log(snapshot)) }}
    and {{ floor_condition(row, '<', snapshot) }}
{%- endmacro %}
