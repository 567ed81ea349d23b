{% macro outlived_sql(tombstones, horizon) %}
    select count(*) as outlived from {{ tombstones }} where _src_ts < timestamp '{{ horizon }}'
{% endmacro %}
