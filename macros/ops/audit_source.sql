{# lakemirror audit --against-source runs it, and shows what it finds; tables has of each mirror where its rows are:
   {model: mirror_shop__orders, schema: shop, table: orders, database_env: SHOP_DATABASE_URL} #}
{% macro audit_source(audit_id, tables, look=0, chunk=50000, rows_per_second=0, max_lag=30) %}
    {%- do adapter.operate(
        'audit_source',
        context,
        audit_id=audit_id,
        tables=tables,
        look=look,
        chunk=chunk,
        rows_per_second=rows_per_second,
        max_lag=max_lag
    ) -%}
{% endmacro %}
