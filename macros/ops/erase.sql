{# lakemirror erase does it, and hands the keys over by the environment: dbt's log has arguments. For what has no
   command: dbt run-operation erase --args '{model: mirror_shop__orders, what: {keys: [{id: 7}]}, apply: true}' #}
{% macro erase(model=none, what=none, by=none, reason=none, apply=false) %}
    {%- do adapter.operate('erase', context, model=model, what=what, by=by, reason=reason, apply=apply) -%}
{% endmacro %}
