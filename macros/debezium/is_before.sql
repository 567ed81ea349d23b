{# a statement's time is in whole seconds: within its second the place in the binlog decides #}
{% macro is_before(until) -%}
    _src_ts < timestamp '{{ until.src_ts }}'
    {%- if until.file %}
    or (
        _src_ts < timestamp '{{ until.src_ts }}' + interval 1 second
        and struct({{ binlog_file_number('event.source.file') }} as file, event.source.pos as pos)
        < struct(
            {{ binlog_file_number(lakemirror_string(until.file)) }} as file,
            cast({{ until.pos }} as bigint) as pos
        )
    )
    {%- endif -%}
{%- endmacro %}
