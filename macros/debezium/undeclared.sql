{# from_json leaves out in silence what it is not asked for #}
{% macro undeclared(names) -%}
    filter(
        {{ names_at("'$.after'") | indent(8) }},
        name -> name not in (
            {{ texts(names) }}
        )
    )
{%- endmacro %}
