{% macro local_of_instant(value, conversion) -%}
cast(from_utc_timestamp({{ value }}, {{ lakemirror_string(conversion.time_zone) }}) as timestamp_ntz)
{%- endmacro %}
