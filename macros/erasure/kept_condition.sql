{# what tables of ops keep of the records of keys: by the record's place, its key, or the key of the row #}
{% macro kept_condition(models, places=none, record_keys=none, key_texts=none) -%}
model in ({{ texts(models) }}) and (
    false
    {%- for partition, offsets in (places or {}).items() %}
    or _kfk_partition = {{ partition }} and _kfk_offset in ({{ offsets | join(', ') }})
    {%- endfor %}
    {%- if record_keys %}
    or {{ record_key() }} in ({{ texts(record_keys) }})
    {%- endif %}
    {%- if key_texts %}
    or unique_key in ({{ texts(key_texts) }})
    {%- endif %}
)
{%- endmacro %}
