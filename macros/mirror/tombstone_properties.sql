{# only pruning changes tombstones #}
{% macro tombstone_properties(properties) %}
    {{ return(dict(properties, **{'write.merge.mode': 'copy-on-write'})) }}
{% endmacro %}
