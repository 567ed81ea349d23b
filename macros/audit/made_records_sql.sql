{# records that no connector has sent, in the columns of raw #}
{% macro made_records_sql(made, partition) -%}
select *
from values
    {%- for record in made %}
    (
        {{ lakemirror_string(record.key) }},
        {{ lakemirror_string(record.value) }},
        {{ lakemirror_string(record.place.topic) }},
        {{ partition }},
        {{ record.offset }}L,
        current_timestamp(),
        {{ 'cast(null as timestamp)' if record.place.src_ts is none
            else 'timestamp ' ~ lakemirror_string(record.place.src_ts) }},
        current_timestamp()
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as made(key, value, _kfk_topic, _kfk_partition, _kfk_offset, _kfk_timestamp, _src_ts, _landed_at)
{%- endmacro %}
