{# a name of its own for every run: two runs at once never touch each other's batch #}
{% macro stage_relation(target) %}
    {{ return(api.Relation.create(
        schema='stage',
        identifier=target.schema ~ '__' ~ target.identifier ~ '__'
            ~ modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y%m%dt%H%M%S')
            ~ '_' ~ invocation_id[:8],
    )) }}
{% endmacro %}
