{% macro null_counts_sql(rows, names) %}
    select
        {%- for name in names %}
        count_if({{ quoted(name) }} is null) as {{ quoted(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ rows }}
{% endmacro %}
