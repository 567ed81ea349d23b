{# of a key that is there several times, one row is compared, and that it is there several times is a difference #}
{% macro unequal_sql(rows) %}
    with

    {% for name, relation in [('first_rows', rows.first), ('second_rows', rows.second)] -%}
    {{ name }} as (

        select *
        from (
            select
                *,
                count(*) over (partition by {{ key_columns(rows.key) }}) as _audit_copies,
                row_number() over (
                    partition by {{ key_columns(rows.key) }} order by {{ key_columns(rows.key) }}
                ) as _audit_copy
            from {{ relation }}
        )
        where _audit_copy = 1

    ),

    {% endfor -%}
    paired as (

        select
            struct(first_rows.*) as mirror,
            struct(second_rows.*) as log,
            first_rows._audit_copies is not null as in_first,
            second_rows._audit_copies is not null as in_second
        from first_rows
        full outer join second_rows on
            {%- for column in rows.key %}
            {{ 'and ' if not loop.first }}not ({{ is_unlike('first_rows.' ~ quoted(column), 'second_rows.' ~ quoted(column), rows.types.get(column, 'text')) }})
            {%- endfor %}

    ),

    judged as (

        select
            *,
            case
                when not in_first then 'lost'
                when not in_second then 'added'
                when mirror._audit_copies > 1 or log._audit_copies > 1 then 'doubled'
                when {{ any_unlike(rows) }} then 'changed'
            end as kind
        from paired

    )

    select
        kind,
        to_json(struct(
            {%- for column in rows.key %}
            {%- if rows.types.get(column, 'text') == 'text' %}
            coalesce(cast(mirror.{{ quoted(column) }} as string), cast(log.{{ quoted(column) }} as string)) as {{ quoted(column) }}{{ ',' if not loop.last }}
            {%- else %}
            coalesce(mirror.{{ quoted(column) }}, log.{{ quoted(column) }}) as {{ quoted(column) }}{{ ',' if not loop.last }}
            {%- endif %}
            {%- endfor %}
        )) as unique_key,
        {{ differences(rows, "concat(log._audit_copies, ' rows')") | indent(8) }} as differences
    from judged
{% endmacro %}
