{# the erasures of a raw table share a salt, which the first has drawn #}
{% macro erased_hash(column, raw_name, erased_keys) -%}
sha2(
    concat(
        (select max(salt) from {{ erased_keys }} where raw_table = {{ lakemirror_string(raw_name) }}),
        {{ record_key(column) }}
    ),
    256
)
{%- endmacro %}
