{% macro new_records_sql(stage, columns) -%}
select {{ key_columns(columns) }}
from {{ stage }}
where _outcome = 'change' and not _is_known
{%- endmacro %}
