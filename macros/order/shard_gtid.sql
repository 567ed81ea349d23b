{% macro shard_gtid(vgtid, shard) -%}
get(filter(
    from_json({{ vgtid }}, 'array<struct<shard: string, gtid: string>>'),
    part -> part.shard = {{ shard }}
), 0).gtid
{%- endmacro %}
