{# those that are named, and none by their age; tags and branches whose time is over go too #}
{% macro expire_sql(relation, ids) %}
    call system.expire_snapshots(
        table => {{ lakemirror_string(relation) }},
        older_than => timestamp '1970-01-01 00:00:00',
        snapshot_ids => array({{ ids | join('L, ') }}L)
    )
{% endmacro %}
