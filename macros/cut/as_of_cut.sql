{# a mirror as it was at the newest cut: with others of the cut, their sources at one time #}
{% macro as_of_cut(mirror) -%}
    {%- set cut = ref('consistent_cut') -%}
    {%- if not execute -%}
        {{ mirror }}
    {%- else -%}
        {%- set known = adapter.known_cut(cut) -%}
        {%- if mirror | string not in known -%}
            {%- do exceptions.raise_compiler_error(
                model.name ~ ': ' ~ cut ~ ' has no snapshot of ' ~ mirror ~ '. Its model names it by '
                ~ 'at_cut(...); run it once a watermark is there.'
            ) -%}
        {%- endif -%}
        {{ mirror }} version as of {{ known[mirror | string] }}
    {%- endif -%}
{%- endmacro %}
