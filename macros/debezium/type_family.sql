{# Debezium encodes a value by its type in the source database: the table in docs/guides/add-a-table.md #}
{% macro type_family(data_type) -%}
    {%- set name = data_type | lower | trim -%}
    {%- set word = name.split('(')[0].split(' ')[0] -%}
    {%- set digits = modules.re.search('[(]([0-9]+)', name) -%}
    {%- set digits = digits.group(1) | int if digits else 0 -%}
    {%- if word in ['tinyint', 'smallint', 'mediumint', 'year'] -%} int
    {%- elif word in ['int', 'integer'] -%} {{ 'bigint' if 'unsigned' in name else 'int' }}
    {%- elif word == 'bigint' -%} {{ 'unsigned_bigint' if 'unsigned' in name else 'bigint' }}
    {%- elif word in ['decimal', 'numeric'] and 0 < digits <= 38 -%} decimal
    {%- elif word == 'float' -%} float
    {%- elif word in ['double', 'real'] -%} double
    {%- elif word in ['boolean', 'bool'] or name == 'bit(1)' -%} boolean
    {%- elif word in ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum',
                      'set', 'json', 'uuid'] -%} string
    {%- elif word in ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'] -%} binary
    {%- elif word == 'date' -%} date
    {%- elif word == 'time' -%} time
    {%- elif word == 'datetime' -%} {{ 'datetime_micros' if digits > 3 else 'datetime_millis' }}
    {%- elif word == 'timestamp' -%} timestamp
    {%- else -%}
        {%- do exceptions.raise_compiler_error(
            'The type ' ~ data_type ~ ' cannot be decoded. See docs/guides/add-a-table.md for the types that can.'
        ) -%}
    {%- endif -%}
{%- endmacro %}
