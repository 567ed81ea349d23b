{% macro configured_epoch(epoch, log) -%}
{%- if not var('epochs', []) -%}
    {{ epoch }}
{%- else -%}
    case
        {%- for entry in var('epochs', []) %}
        {%- for name in entry if name not in ['name', 'log', 'from', 'epoch'] -%}
            {%- do exceptions.raise_compiler_error(
                'The var epochs: an entry has name, log, from and epoch, and not ' ~ name
            ) -%}
        {%- endfor %}
        {%- if entry.epoch is not integer -%}
            {%- do exceptions.raise_compiler_error(
                'The var epochs: epoch is a whole number, and not ' ~ entry.epoch
            ) -%}
        {%- endif %}
        when true
            {%- if 'name' in entry %} and event.source.name = {{ lakemirror_string(entry.name) }}{% endif %}
            {%- if 'log' in entry %} and {{ log }} = {{ lakemirror_string(entry.log) }}{% endif %}
            {%- if 'from' in entry %} and _src_ts >= timestamp {{ lakemirror_string(entry['from']) }}{% endif %}
            then coalesce({{ epoch }}, 0L) + {{ entry.epoch }}
        {%- endfor %}
        else {{ epoch }}
    end
{%- endif -%}
{%- endmacro %}
