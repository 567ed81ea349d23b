{# what is behind a bookmark is read by no window: the next run has to judge it again #}
{% macro reopen_sql(model_name, since) %}
    update {{ ops_table('quarantine') }}
    set
        settled_at = null,
        settled_as = null,
        settled_reason = null,
        judged_by = null
    where
        model = {{ lakemirror_string(model_name) }}
        and settled_as = 'taken in'
        and settled_at >= timestamp '{{ since }}'
{% endmacro %}
