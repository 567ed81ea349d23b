{% test unique_combination(model, columns) %}
    select
        {{ key_columns(columns) }},
        count(*) as duplicates
    from {{ model }}
    group by {{ key_columns(columns) }}
    having count(*) > 1
{% endtest %}
