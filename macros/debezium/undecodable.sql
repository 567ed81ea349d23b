{# the decoding of each column is asked for once more, outside of conditions: Spark computes it once #}
{% macro undecodable(row, columns) -%}
    concat_ws(
        ', ',
        if(
            event._corrupt_record is not null or value is not null and event is null,
            {{ unread(row, columns) | indent(12) }},
            null
        )
        {%- for column in columns if column.type.family != 'as_read' or column.older -%}
            {%- set value = source_value(row, column) -%}
            {%- set missing = is_unavailable(value, column) | trim -%}
            ,
        if(
            {{ is_lost_value(value, column) | indent(12) }}{{ ' and not (' ~ missing ~ ')' if missing }},
            {{ lakemirror_string(column.name) }},
            null
        )
        {%- endfor %}
    )
{%- endmacro %}
