{% macro remove_orphans_sql(relation, older_than, dry_run) %}
    call system.remove_orphan_files(
        table => {{ lakemirror_string(relation) }},
        older_than => timestamp '{{ older_than }}',
        dry_run => {{ dry_run | lower }}
    )
{% endmacro %}
