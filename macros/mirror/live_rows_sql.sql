{% macro live_rows_sql(stage, columns, deletes) -%}
select {{ key_columns(columns) }}
    {%- if deletes == 'soft' %},
    _op = 'd' as _is_deleted,
    if(_op = 'd', _src_ts, null) as _deleted_at
    {%- endif %}
from {{ stage }}
where _outcome = 'change'
{%- endmacro %}
