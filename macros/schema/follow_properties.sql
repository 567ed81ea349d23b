{# the table last: where it has its properties, its tombstones have theirs #}
{% macro follow_properties(target, tombstones, there, properties, model_name) %}
    {%- set changed = adapter.changed_properties(there, properties, model_name) -%}
    {%- if changed and tombstones -%}
        {%- do adapter.execute_until_committed(
            set_properties_sql(tombstones, tombstone_properties(changed))
        ) -%}
    {%- endif -%}
    {%- if changed -%}
        {%- do adapter.execute_until_committed(set_properties_sql(target, changed)) -%}
        {%- do log(model_name ~ ': ' ~ target ~ ' has new properties: ' ~ changed, info=true) -%}
    {%- endif -%}
{% endmacro %}
