{# where the clock is put back, a time that is there twice is the first of them; one that is left out is read
   with the zone's time of before #}
{% macro instant_of_local(value, conversion) -%}
to_utc_timestamp(cast({{ value }} as timestamp), {{ lakemirror_string(conversion.time_zone) }})
{%- endmacro %}
