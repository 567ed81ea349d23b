{# from_json gives null for a value that does not have its type: the event is read again as texts. Of an older
   event without such a value nothing is lost #}
{% macro unread(columns) -%}
{%- set older = is_older(columns) | trim -%}
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
    {{ 'if(' ~ older ~ ", null, 'the event')" if older else "'the event'" }}
), names -> names <> ''), 0)
{%- endmacro %}
