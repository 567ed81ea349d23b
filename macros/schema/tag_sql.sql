{# expiry never removes a tagged snapshot before its time #}
{% macro tag_sql(relation, tag, snapshot_id, retain=none) %}
    alter table {{ relation }} create or replace tag {{ quoted(tag) }}
        as of version {{ snapshot_id }}{{ ' retain ' ~ retain if retain }}
{% endmacro %}
