{# a run that dies in between plans the rest anew; rows have their values with the next commit #}
{% macro evolve(target, evolution, model_name) %}
    {%- for line in evolution.lines -%}
        {%- do log(model_name ~ ': ' ~ target ~ ' ' ~ line, info=true) -%}
    {%- endfor -%}
    {%- for statement in evolution.statements -%}
        {%- do adapter.execute_until_committed('alter table ' ~ target ~ ' ' ~ statement) -%}
    {%- endfor -%}
{% endmacro %}
