{% macro bad_rows_problem(quarantined, model_name) -%}
    {{ quarantined }} events cannot be used, and on_bad_rows is fail. See them by `select reason, value
    {{- ' ' }}from ops.quarantine where model = '{{ model_name }}'`.
{%- endmacro %}
