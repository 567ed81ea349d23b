{% macro null_counts_sql(judged, names) %}
    select
        {%- for name in names %}
        count_if({{ quoted(name) }} is null) as {{ quoted(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ judged }}
    where _outcome = 'change' and _is_applied
{% endmacro %}
