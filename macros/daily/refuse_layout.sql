{# days that are copies do not become branches, nor the other way round #}
{% macro refuse_layout(existing, publish, sql, model_name) %}
    {%- if publish == 'branch' and not modules.re.search(
        'select [*] from [^ ]+ /[*] midnight[(].+?[)] [*]/\\s*$', sql
    ) -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ": with publish='branch' a day is the mirror's rows: the model can only be "
            ~ 'select * from midnight(...)'
        ) -%}
    {%- endif -%}
    {%- if existing is not none -%}
        {%- set there = columns_of_query('select * from ' ~ existing) | map(attribute='name') | list -%}
        {%- set branches = days_columns([], 'branch') | map(attribute='name') | list + ['ds'] -%}
        {%- if (there == branches) != (publish == 'branch') -%}
            {%- do exceptions.raise_compiler_error(
                model_name ~ ': ' ~ existing ~ ' keeps its days the other way, and the config publish is '
                ~ publish ~ '. Nothing was written; give the model another alias.'
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
