{# keys as findings have them, as the texts that both sides agree on #}
{% macro canonical_keys_sql(columns, kinds, keys) -%}
{%- set fields = [] -%}
{%- for column in columns -%}
    {%- do fields.append(quoted(column.name) ~ ': ' ~ kinds[column.name]) -%}
{%- endfor -%}
select {{ canonical_texts(columns) }} as key_texts
from (
    select row.*
    from (
        select from_json(
            unique_key,
            {{ lakemirror_string('struct<' ~ fields | join(', ') ~ '>') }}
        ) as row
        from (
            select explode(array(
                {%- for text in keys %}
                {{ lakemirror_string(text) }}{{ ',' if not loop.last }}
                {%- endfor %}
            )) as unique_key
        )
    )
)
{%- endmacro %}
