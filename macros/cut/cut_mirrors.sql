{# what at_cut has left its marks on, with the keys that the mirrors are configured with #}
{% macro cut_mirrors(sql, model_name) %}
    {%- set nodes = {} -%}
    {%- for node in nodes_of('mirror', none, model_name) -%}
        {%- do nodes.update({mirror_of(node) | string: node}) -%}
    {%- endfor -%}
    {%- set mirrors = [] -%}
    {%- for name, changes in modules.re.findall('/[*] at_cut[(](.+?), (.+?)[)] [*]/', sql) -%}
        {%- if name not in nodes -%}
            {%- do exceptions.raise_compiler_error(model_name ~ ': ' ~ name ~ ' is no mirror') -%}
        {%- endif -%}
        {%- set relation = mirror_of(nodes[name]) -%}
        {%- do mirrors.append({
            'name': name,
            'relation': relation,
            'changes': changes,
            'key': nodes[name].config.unique_key,
        }) -%}
    {%- endfor -%}
    {%- if not mirrors -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': a cut is made of at_cut(ref(mirror), ref(staging model)), joined by union all'
        ) -%}
    {%- endif -%}
    {{ return(mirrors) }}
{% endmacro %}
