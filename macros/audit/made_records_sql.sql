{# records that no connector has sent, in the columns of raw #}
{% macro made_records_sql(made, partition) -%}
{%- for record in made %}
    {{- '\nunion all\n' if not loop.first -}}
select
    {{ lakemirror_string(record.key) }} as key,
    {{ lakemirror_string(record.value) }} as value,
    {{ lakemirror_string(record.place.topic) }} as _kfk_topic,
    {{ partition }} as _kfk_partition,
    {{ record.offset }}L as _kfk_offset,
    current_timestamp() as _kfk_timestamp,
    {{ 'cast(null as timestamp)' if record.place.src_ts is none
        else 'timestamp ' ~ lakemirror_string(record.place.src_ts) }} as _src_ts,
    current_timestamp() as _landed_at
{%- endfor %}
{%- endmacro %}
