{# a name of its own for every run: two runs at once never touch each other's batch. A cached batch is
   a temporary view, and has no schema #}
{% macro stage_relation(target, is_cached=false) %}
    {{ return(api.Relation.create(
        schema=none if is_cached else 'stage',
        identifier=target.schema ~ '__' ~ target.identifier ~ '__'
            ~ modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y%m%dt%H%M%S')
            ~ '_' ~ invocation_id[:8],
    )) }}
{% endmacro %}
