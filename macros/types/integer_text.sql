{# two's complement, big-endian; what has more than 18 digits in words of 4 bytes, in limbs of 9 digits #}
{% macro integer_text(value, digits=none) -%}
case
    when length({{ value }}) <= 8 and length({{ value }}) > 0 then
        conv(lpad(hex({{ value }}), 16, if(hex({{ value }}) >= '8', 'F', '0')), 16, -10)
    {%- if digits is none or digits > 18 %}
    when length({{ value }}) > 8 then concat(
        if(hex({{ value }}) >= '8', '-', ''),
        ltrim('0', array_join(transform(
            reverse(aggregate(
                {{ magnitude_words(value) | indent(16) }},
                cast(array() as array<bigint>),
                (limbs, word) -> aggregate(
                    limbs,
                    struct(cast(array() as array<bigint>) as limbs, word as carry),
                    (done, limb) -> struct(
                        array_append(
                            done.limbs, (limb * 4294967296 + done.carry) % 1000000000
                        ) as limbs,
                        (limb * 4294967296 + done.carry) div 1000000000 as carry
                    ),
                    done -> concat(
                        done.limbs, array(done.carry % 1000000000, done.carry div 1000000000)
                    )
                )
            )),
            limb -> lpad(cast(limb as string), 9, '0')
        ), ''))
    )
    {%- endif %}
end
{%- endmacro %}
