{# a mirror as it was at the newest cut: with others of the cut, their sources at one time. The docs site needs
   none #}
{% macro as_of_cut(mirror) -%}
    {%- set cut = ref('consistent_cut') -%}
    {%- set known = adapter.cut_snapshots(cut) if execute and load_relation(cut) is not none else {} -%}
    {{ mirror }}
    {%- if mirror | string in known %} version as of {{ known[mirror | string] }}
    {%- elif execute and flags.WHICH not in ['compile', 'generate'] -%}
        {%- do exceptions.raise_compiler_error(
            model.name ~ ': ' ~ cut ~ ' has no snapshot of ' ~ mirror ~ '. Its model names it by '
            ~ 'at_cut(...); run it once a watermark is there.'
        ) -%}
    {%- endif -%}
{%- endmacro %}
