{# expiry never removes a tagged snapshot before its time: a day that is published late starts from it #}
{% macro base_tag_sql(target, commit, day) %}
    alter table {{ target }} create or replace tag `lakemirror_base_{{ day | replace('-', '_') }}`
        as of version {{ commit.id }} retain 7 days
{% endmacro %}
