{# a schema that the connector tells is on its way, and the next landing has it; else nobody will tell it #}
{% macro report_undeclared(stage, counts, raw, on_undeclared) %}
    {%- if counts.undeclared -%}
        {%- set names = counts.undeclared | join(', ') -%}
        {%- if on_undeclared == 'fail' or (on_undeclared == 'wait' and adapter.is_told(raw)) -%}
            {%- do refuse_batch(stage, model.name, undeclared_problem(names)) -%}
        {%- endif -%}
        {%- do exceptions.warn(model.name ~ ': ' ~ undeclared_warning(names, model.name)) -%}
    {%- endif -%}
{% endmacro %}
