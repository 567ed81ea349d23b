{# what the log does not tell, a column that the source has no more, stays as the mirror has it #}
{% macro repaired_rows_sql(stage, changes, audit, columns) %}
    create table {{ stage }}
    using iceberg
    as
    select
        {%- for name in columns %}
        {% if name in audit.key -%}
        coalesce(log.{{ quoted(name) }}, mirror.{{ quoted(name) }})
        {%- elif name in audit.types or (audit.filled and name == '_unsent') -%}
        log.{{ quoted(name) }}
        {%- else -%}
        mirror.{{ quoted(name) }}
        {%- endif %} as {{ quoted(name) }},
        {%- endfor %}
        kind as _audit_kind,
        is_live as _audit_live
    from (
        {{ compared_sql(changes, audit) | indent(8) }}
    )
    where kind <> 'doubtful'
{% endmacro %}
