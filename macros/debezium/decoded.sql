{% macro decoded(value, data_type) -%}
    {%- set family = type_family(data_type) | trim -%}
    {%- if family == 'unsigned_bigint' -%}
        cast(if({{ value }} < 0, {{ value }} + 18446744073709551616, {{ value }}) as decimal(20, 0))
    {%- elif family == 'date' -%}
        date_from_unix_date({{ value }})
    {%- elif family == 'datetime_millis' -%}
        cast(timestamp_micros(try_multiply({{ value }}, 1000L)) as timestamp_ntz)
    {%- elif family == 'datetime_micros' -%}
        cast(timestamp_micros({{ value }}) as timestamp_ntz)
    {%- elif family == 'timestamp' -%}
        try_cast({{ value }} as timestamp)
    {%- else -%}
        {{ value }}
    {%- endif -%}
{%- endmacro %}
