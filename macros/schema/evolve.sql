{# adds the columns that the table lacks; refuses what would lose or change values #}
{% macro evolve(target, columns, model_name) %}
    {%- set there = {} -%}
    {%- for column in adapter.get_columns_in_relation(target) -%}
        {%- do there.update({column.name | lower: column.data_type}) -%}
    {%- endfor -%}
    {%- if '_is_deleted' in there and '_is_deleted' not in columns | map(attribute='name') | list -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': deletes was soft, and the rows that ' ~ target ~ ' keeps of deleted keys would '
            ~ 'count as live. Nothing was written. Rebuild the table: ' ~ rebuild_command(model_name)
        ) -%}
    {%- endif -%}
    {%- set missing, changed = [], [] -%}
    {%- for column in columns -%}
        {%- if column.name | lower not in there -%}
            {%- do missing.append(quoted(column.name) ~ ' ' ~ column.data_type) -%}
        {%- elif there[column.name | lower] != column.data_type -%}
            {%- do changed.append(
                column.name ~ ' is ' ~ there[column.name | lower] ~ ' and would become ' ~ column.data_type
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if changed -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': the type of a column of ' ~ target ~ ' has changed: ' ~ changed | join('; ')
            ~ '. Nothing was written. Declare the type that the table has, or rebuild the table: '
            ~ rebuild_command(model_name)
        ) -%}
    {%- endif -%}
    {%- if missing -%}
        {%- do run_query('alter table ' ~ target ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
    {%- endif -%}
{% endmacro %}
