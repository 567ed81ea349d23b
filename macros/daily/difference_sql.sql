{# a row that has changed is added and removed. As a digest of JSON: not every type can be compared, and a
   digest moves in the place of the row #}
{% macro difference_sql(before, after, columns, day) -%}
    with

    changes as (

        select
            unhex(md5({{ text_of_nested('struct(' ~ key_columns(columns) ~ ')', none) | indent(12) }})) as digest,
            1 as change
        from {{ after }}
        where ds = date '{{ day }}'
        union all
        select
            unhex(md5({{ text_of_nested('struct(' ~ key_columns(columns) ~ ')', none) | indent(12) }})) as digest,
            -1 as change
        from {{ before }}
        where ds = date '{{ day }}'

    ),

    changed as (

        select sum(change) as rows
        from changes
        group by digest

    )

    select
        coalesce(sum(greatest(rows, 0L)), 0L) as rows_added,
        coalesce(sum(greatest(-rows, 0L)), 0L) as rows_removed
    from changed
{%- endmacro %}
