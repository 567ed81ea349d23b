{% macro lakemirror__generate_alias_name(custom_alias_name=none, node=none) -%}
    {{ custom_alias_name or modules.re.sub('^(mirror|daily|log|masked)_', '', node.name) }}
{%- endmacro %}
