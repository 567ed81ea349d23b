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
spark.sql({{ create_table_as(False, relation, 'select * from dbt_python_model') | tojson }})
{%- endif %}
{% endmacro %}
