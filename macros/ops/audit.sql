{# dbt run-operation audit --args '{model: mirror_shop__orders, full: true}'; lakemirror audit does it, and shows
   what it finds #}
{% macro audit(model=none, full=false, audit_id=none, fail=true) %}
    {%- do adapter.operate('audit', context, model=model, full=full, audit_id=audit_id, fail=fail) -%}
{% endmacro %}
