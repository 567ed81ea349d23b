{% macro epoch_problem(problem, model_name) -%}
    the order of the source went back: {{ problem }}. For Vitess set vitess.inherit.epoch=true at the
    {{- ' ' }}connector; for what has been sent, and for a new MySQL server, say in the var epochs what to
    {{- ' ' }}add, for example `epochs: [{log: '-40', epoch: 1}]`, and rebuild the mirror:
    {{- ' ' }}{{ rebuild_command(model_name) }}.
{%- endmacro %}
