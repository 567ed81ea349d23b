{# by a digest of the key, so that the parts are alike, whatever the keys are #}
{% macro is_in_part(audit) -%}
{%- if audit.only -%}
    to_json(struct({{ key_columns(audit.key) }})) in ({{ audit.only }})
{%- elif audit.parts == 1 -%}
    true
{%- else -%}
    pmod(xxhash64({{ key_columns(audit.key) }}), {{ audit.parts }}L) = {{ audit.part }}L
{%- endif -%}
{%- endmacro %}
