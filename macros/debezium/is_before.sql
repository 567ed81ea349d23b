{# in the binlog of one server the place decides. Else the time: a statement's is in whole seconds, so that
   within its second the place does; of the records of one time, the first with a schema of its own has later
   ones behind it #}
{% macro is_before(until, is_row=false) -%}
{%- if until.file -%}
{%- set there = binlog_place(lakemirror_string(until.file), until.pos) -%}
{%- set is_below = ('_tx_rank' if is_row else event_place() | indent(4)) ~ ' < ' ~ there -%}
if(
    {{ '_tx_log' if is_row else 'cast(event.source.server_id as string)' }} = '{{ until.server_id }}',
    {{ is_below }},
    _src_ts < timestamp '{{ until.src_ts }}'
    or (
        _src_ts < timestamp '{{ until.src_ts }}' + interval 1 second
        and {{ is_below }}
    )
)
{%- else -%}
_src_ts < timestamp '{{ until.src_ts }}'
or (
    _src_ts = timestamp '{{ until.src_ts }}'
    and _kfk_partition = {{ until.partition }}
    and _kfk_offset < {{ until.offset }}
)
{%- endif -%}
{%- endmacro %}
