{# lakemirror audit --against-source runs it, and shows what it finds; tables has of each mirror where its rows are:
   {model: mirror_shop__orders, schema: shop, table: orders, database_env: SHOP_DATABASE_URL} #}
{% macro audit_source(audit_id, tables, look=0, limits={}) %}
    {%- do adapter.operate(
        'audit_source', context, audit_id=audit_id, tables=tables, look=look, limits=limits
    ) -%}
{% endmacro %}
