{% macro json_type(data_type) -%}
    {%- set family = type_family(data_type) | trim -%}
    {{ {
        'int': 'int',
        'bigint': 'bigint',
        'unsigned_bigint': 'decimal(20,0)',
        'decimal': data_type | lower | replace('numeric', 'decimal'),
        'float': 'float',
        'double': 'double',
        'boolean': 'boolean',
        'string': 'string',
        'binary': 'binary',
        'date': 'int',
        'time': 'bigint',
        'datetime_millis': 'bigint',
        'datetime_micros': 'bigint',
        'timestamp': 'string',
    }[family] }}
{%- endmacro %}
