{# an update whose row had another key before: one that its record's key does not tell #}
{% macro moved_rows_sql(records, unique_key) %}
    {%- set images = "from_json(get_json_object(event, '$.{}'), 'map<string, string>')" %}
    with

    events as (

        select
            key,
            {{ event_text() | indent(12) }} as event
        from {{ records }}
        where value is not null

    ),

    updates as (

        select
            key,
            {{ images.format('before') }} as before,
            {{ images.format('after') }} as after
        from events
        where get_json_object(event, '$.op') = 'u'

    )

    select
        count(*) as records,
        min(key) as example
    from updates
    where
        {%- for name in unique_key %}
        {{ 'or ' if not loop.first }}before[{{ lakemirror_string(name) }}] <> after[{{ lakemirror_string(name) }}]
        {%- endfor %}
{% endmacro %}
