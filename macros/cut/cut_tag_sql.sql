{# of a name of its own, so that two runs at once do not let go of each other's snapshots #}
{% macro cut_tag_sql(mirror, snapshot, time) %}
    {%- set name = 'lakemirror_cut_' ~ modules.re.sub('[^0-9]', '_', time) ~ '_' ~ invocation_id[:8] -%}
    alter table {{ mirror }} create or replace tag `{{ name }}` as of version {{ snapshot }} retain 7 days
{% endmacro %}
