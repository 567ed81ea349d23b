{# a day that nothing but raw can tell is only as whole as raw is #}
{% macro refuse_lost_days(raw, mirror, day) %}
    {%- if not is_whole(raw) -%}
        {%- do exceptions.raise_compiler_error(
            model.name ~ ': the day ' ~ day ~ ' cannot be known. No commit of ' ~ mirror ~ ' from before '
            ~ 'its end is left, and ' ~ raw ~ ' has lost records. Nothing was published. Land the lost '
            ~ 'records again (ops.landing has their files), or roll ' ~ raw ~ ' back.'
        ) -%}
    {%- endif -%}
{% endmacro %}
