{# -x is the complement of x, plus 1 #}
{% macro magnitude_words(value) -%}
transform(
    regexp_extract_all(
        if(
            hex({{ value }}) >= '8',
            translate(
                lpad(hex({{ value }}), {{ whole_words(value) }}, 'F'),
                '0123456789ABCDEF',
                'FEDCBA9876543210'
            ),
            lpad(hex({{ value }}), {{ whole_words(value) }}, '0')
        ),
        '.{8}',
        0
    ),
    (word, place) -> cast(conv(word, 16, 10) as bigint) + if(
        hex({{ value }}) >= '8' and (place + 1) * 8 = {{ whole_words(value) }}, 1L, 0L
    )
)
{%- endmacro %}
