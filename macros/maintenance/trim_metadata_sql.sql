{# the commit of the properties is the first to remove what is too much; the catalog of a server may do so itself #}
{% macro trim_metadata_sql(relation, policy) %}
    alter table {{ relation }} set tblproperties (
        'write.metadata.delete-after-commit.enabled' = 'true',
        'write.metadata.previous-versions-max' = '{{ policy.metadata_files }}'
    )
{% endmacro %}
