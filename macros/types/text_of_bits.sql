{# a length of 0: as many bits as there are, without leading zeros #}
{% macro text_of_bits(value, type) -%}
{%- set bits -%}
ltrim('0', array_join(transform(
    regexp_extract_all({{ bytes_in_order(value, 'little') }}, '..', 0),
    byte -> lpad(conv(byte, 16, 2), 8, '0')
), ''))
{%- endset -%}
{%- if type.length -%}
    if(length({{ bits }}) <= {{ type.length }}, lpad({{ bits }}, {{ type.length }}, '0'), null)
{%- else -%}
    {{ bits }}
{%- endif -%}
{%- endmacro %}
