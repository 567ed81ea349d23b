{% macro failing_models_sql(ran) %}
    select model
    from {{ ops_table('runs') }}
    group by model
    having max_by(status, started_at) not in ({% for status in ran %}{{ lakemirror_string(status) }}{{ ', ' if not loop.last }}{% endfor %})
{% endmacro %}
