{% macro live_rows_sql(changes, shape) -%}
select {{ key_columns(shape.columns) }}
    {%- if shape.deletes == 'soft' %},
    _op = 'd' as _is_deleted,
    if(_op = 'd', _src_ts, null) as _deleted_at
    {%- endif %}
from {{ changes }}
where _outcome = 'change'
{%- endmacro %}
