{# from_json gives null for a value that does not have its type: the event is read again as texts. Of an older
   event without such a value nothing is lost: from_json calls it corrupt where a column had another type in JSON #}
{% macro unread(columns) -%}
{%- set older = [] -%}
{%- for column in columns -%}
    {%- for old in column.older if old.type is none or old.type.json != column.type.json -%}
        {%- do older.append(is_before(old.until)) -%}
    {%- endfor -%}
{%- endfor -%}
get(filter(array(
    array_join(array_intersect(
        array(
            {%- for few in columns | batch(3) %}
            {% for column in few -%}
            if({{ is_unread(source_value(column), column) }}, {{ lakemirror_string(column.name) }}, null)
            {{- ', ' if not loop.last }}
            {%- endfor %}
            {{- ',' if not loop.last }}
            {%- endfor %}
        ),
        map_keys(map_filter({{ image_as('map<string, string>') | indent(8) }}, (name, text) -> text is not null))
    ), ', '),
    {%- if older %}
    if(({{ older | join(' or ') }}) and try_parse_json(event_text) is not null, null, 'the event')
    {%- else %}
    'the event'
    {%- endif %}
), names -> names <> ''), 0)
{%- endmacro %}
