{# lakemirror repair --audit runs it for an audit against the source, and shows what differs; tables as in
   audit_source #}
{% macro repair_source(audit, repair_id, tables, dry_run=true) %}
    {%- do adapter.operate(
        'repair_source', context, audit=audit, repair_id=repair_id, tables=tables, dry_run=dry_run
    ) -%}
{% endmacro %}
