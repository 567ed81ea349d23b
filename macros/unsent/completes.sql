{% macro completes(change, row) -%}
coalesce(
    exists(
        {{ row }}._unsent,
        unsent -> exists(
            array({{ known_at(change, 'unsent.name') | indent(12) }}),
            known -> {{ change_order('known') | indent(12) }}
                > {{ change_order('unsent') | indent(12) }}
        )
    ),
    false
)
{%- endmacro %}
