{% macro complete_until(watermark) -%}
select complete_until from ({{ watermark_sql(adapter.relation_of(watermark)) }})
{%- endmacro %}
