{# of two rows, which are called mirror and log #}
{% macro differences(rows, log_copies) -%}
case kind
    when 'changed' then array_compact(array(
        {%- for name in rows.compared %}
        if(
            {{ is_unlike('mirror.' ~ quoted(name), 'log.' ~ quoted(name), rows.types[name], rows.tolerances.get(name)) }},
            struct(
                {{ lakemirror_string(name) }} as column_name,
                {{ shown_value('mirror.' ~ quoted(name), rows.types[name]) }} as in_mirror,
                {{ shown_value('log.' ~ quoted(name), rows.types[name]) }} as by_log
            ),
            null
        ){{ ',' if not loop.last }}
        {%- endfor %}
    ))
    when 'lost' then array(struct(
        cast(null as string) as column_name,
        cast(null as string) as in_mirror,
        to_json(struct({{ key_columns(rows.shown, 'log') }})) as by_log
    ))
    when 'added' then array(struct(
        cast(null as string) as column_name,
        to_json(struct({{ key_columns(rows.shown, 'mirror') }})) as in_mirror,
        cast(null as string) as by_log
    ))
    when 'doubled' then array(struct(
        cast(null as string) as column_name,
        concat(mirror._audit_copies, ' rows') as in_mirror,
        {{ log_copies }} as by_log
    ))
end
{%- endmacro %}
