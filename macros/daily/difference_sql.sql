{# a row that has changed is added and removed. As JSON, since not every type can be compared #}
{% macro difference_sql(before, after, columns, day) -%}
    with

    before as (

        select to_json(struct({{ key_columns(columns) }})) as row
        from {{ before }}
        where ds = date '{{ day }}'

    ),

    after as (

        select to_json(struct({{ key_columns(columns) }})) as row
        from {{ after }}
        where ds = date '{{ day }}'

    )

    select
        (select count(*) from (select row from after except all select row from before))
            as rows_added,
        (select count(*) from (select row from before except all select row from after))
            as rows_removed
{%- endmacro %}
