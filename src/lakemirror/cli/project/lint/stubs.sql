{% macro changes(raw) %}{{ raw }}{% endmacro %}
{% macro debezium_event(raw) %}from_json(value, 'op string') as event{% endmacro %}
{% macro debezium_columns(raw) %}event.after.id as id{% endmacro %}
{% macro debezium_losses(raw) %}null as _undecodable{% endmacro %}
{% macro tx_rank(source) %}0 as _tx_epoch{% endmacro %}
{% macro metadata_columns(columns) %}event.op as _op{% endmacro %}
{% macro midnight(mirror, changes, watermark) %}{{ mirror }}{% endmacro %}
{% macro landed(changes) %}{{ changes }}{% endmacro %}
{% macro at_cut(mirror, changes, watermark) %}select 1 from {{ changes }}{% endmacro %}
{% macro as_of_cut(mirror) %}{{ mirror }}{% endmacro %}
