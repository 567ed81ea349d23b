{# a statement's time is in whole seconds: within its second the place in the binlog decides; of the records
   of one time, the first with a schema of its own has later ones behind it #}
{% macro is_before(until, place=none) -%}
    _src_ts < timestamp '{{ until.src_ts }}'
    {%- if until.file %}
    or (
        _src_ts < timestamp '{{ until.src_ts }}' + interval 1 second
        and {{ place or event_place() | indent(8) }}
        < {{ binlog_place(lakemirror_string(until.file), until.pos) }}
    )
    {%- else %}
    or (
        _src_ts = timestamp '{{ until.src_ts }}'
        and _kfk_partition = {{ until.partition }}
        and _kfk_offset < {{ until.offset }}
    )
    {%- endif -%}
{%- endmacro %}
