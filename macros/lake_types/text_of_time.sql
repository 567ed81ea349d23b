{# microseconds; MySQL's TIME is also a duration, below zero or of more than a day #}
{% macro text_of_time(value, conversion) -%}
get(transform(filter(array({{ value }}), micros -> micros is not null), micros -> concat(
    if(micros < 0, '-', ''),
    format_string(
        '%02d:%02d:%02d',
        abs(micros div 3600000000), abs(micros div 60000000 % 60), abs(micros div 1000000 % 60)
    ),
    if(micros % 1000000 = 0, '', rtrim('0', format_string('.%06d', abs(micros % 1000000))))
)), 0)
{%- endmacro %}
