{# from_json gives null for a value that does not have its type: the event is read again as texts #}
{% macro unread(row, columns) -%}
    {%- set older = is_older(columns) | trim -%}
    transform(
        array(array_join(
            filter(
                array(
                    {%- for column in columns %}
                    if({{ is_unread(source_value(row, column), column) }}, {{ lakemirror_string(column.name) }}, null)
                    {{- ',' if not loop.last }}
                    {%- endfor %}
                ),
                name -> exists(
                    array(from_json(
                        {{ event_text('value') | indent(24) }},
                        'struct<before: map<string, string>, after: map<string, string>>'
                    )),
                    text -> try_element_at(coalesce(text.after, text.before), name) is not null
                )
            ),
            ', '
        )),
        names -> if(names = '', {{ 'if(' ~ older ~ ", null, 'the event')" if older else "'the event'" }}, names)
    )[0]
{%- endmacro %}
