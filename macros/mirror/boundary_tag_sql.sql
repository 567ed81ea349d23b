{# expiry never removes a tagged snapshot, so the next window can start from it #}
{% macro boundary_tag_sql(raw, target, window) %}
    alter table {{ raw }} create or replace tag
        `lakemirror_{{ target.schema }}_{{ target.identifier }}` as of version {{ window.end }}
{% endmacro %}
