{% macro horizon_tag_sql(tombstones, prune) %}
    alter table {{ tombstones }} create or replace tag lakemirror_pruned as of version {{ prune.id }}
{% endmacro %}
