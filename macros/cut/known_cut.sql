{# the cut that there is: its rows by mirror #}
{% macro known_cut(relation) %}
    {%- set known = {} -%}
    {%- if relation is not none -%}
        {%- for row in run_query(
            'select mirror, cast(complete_until as string) as complete_until, '
            ~ 'cast(known_from as string) as known_from from ' ~ relation
        ).rows -%}
            {%- do known.update({row['mirror']: {
                'complete_until': row['complete_until'],
                'known_from': row['known_from'],
            }}) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(known) }}
{% endmacro %}
