{# before the first commit with a change of another day: the one that it follows is what days in between start
   from. Only for mirrors that have a daily table #}
{% macro keep_base(target, batch, newest) %}
    {%- set before = batch.previous.summary.get('lakemirror.max-src-ts') if batch.previous else none -%}
    {%- if before and newest and before[:10] < newest[:10] and has_days(model.unique_id) -%}
        {%- do adapter.execute_until_committed(base_tag_sql(target, batch.previous, before[:10])) -%}
    {%- endif -%}
{% endmacro %}
