{% macro scaled_text(integer, scale) -%}
transform(
    array({{ integer }}),
    number -> case
        when {{ scale }} = 0 then number
        when {{ scale }} < 0 then concat(number, if(number = '0', '', repeat('0', -{{ scale }})))
        else regexp_replace(
            concat(
                if(number like '-%', '-', ''),
                repeat('0', greatest({{ scale }} + 1 - length(ltrim('-', number)), 0)),
                ltrim('-', number)
            ),
            concat('([0-9]{', {{ scale }}, '})$'),
            '.$1'
        )
    end
)[0]
{%- endmacro %}
