{# of a daily table but for ds: the mirror's, or those of a branch's name #}
{% macro days_columns(columns, publish) %}
    {{ return(columns if publish == 'copy' else [
        {'name': 'branch', 'data_type': 'string'}, {'name': 'snapshot_id', 'data_type': 'bigint'},
    ]) }}
{% endmacro %}
