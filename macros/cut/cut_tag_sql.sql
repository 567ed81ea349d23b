{% macro cut_tag_sql(mirror, snapshot, time) %}
    alter table {{ mirror }} create or replace tag `lakemirror_cut_{{ modules.re.sub('[^0-9]', '_', time) }}`
        as of version {{ snapshot }} retain 7 days
{% endmacro %}
