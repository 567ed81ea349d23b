{# a record that another writer has put there was not landed #}
{% macro is_whole_sql(raw, landing) -%}
    select coalesce(sum(rows), 0) <= (select count(*) from {{ raw }}) as is_whole
    from {{ landing }}
    where topic = (select max(_kfk_topic) from (select _kfk_topic from {{ raw }} limit 1))
{%- endmacro %}
