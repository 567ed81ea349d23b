{# its warnings are told before anything is written. The frame becomes a view of the session, and the table is made as a SQL model's is #}
{% macro lakemirror_python_table(compiled_code, relation, temporary) %}
{{ compiled_code }}

dbt = dbtObj(spark.table)
frame = model(dbt, spark)
tell_warnings()
if not hasattr(frame, "createOrReplaceTempView"):
    frame = spark.createDataFrame(frame)
{% if temporary -%}
frame.createOrReplaceTempView("{{ relation.identifier }}")
{%- else -%}
frame.createOrReplaceTempView("dbt_python_model")
try:
    spark.sql({{ create_table_as(False, relation, 'select * from dbt_python_model') | tojson }})
except Exception as error:
    {# of two first runs at once, both append -#}
    appends = {{ config.get('incremental_strategy') == 'append' }}
    if not appends or "already exists" not in str(error):
        raise
    spark.sql("insert into {{ relation }} by name select * from dbt_python_model")
{%- endif %}
{% endmacro %}
