{# a landing says how far it has read when every topic is in raw, and not before; a topic that another
   writer brings counts as it is, and one that was made anew by its newest table #}
{% macro landed(changes) -%}
{%- set landing = adapter.landing_of(changes, ref('landing')) -%}
(
    select changes.*
    from {{ changes }} as changes
    left join (
        select topic, partition, max(proven_offset) as proven_offset
        from (
            select *, max_by(raw_table, landed_at) over (partition by topic) as newest_table
            from {{ landing }}
        )
        where raw_table <=> newest_table
        group by topic, partition
    ) as read
        on changes._kfk_topic = read.topic and changes._kfk_partition = read.partition
    left join (select distinct topic from {{ landing }}) as known
        on changes._kfk_topic = known.topic
    where known.topic is null or changes._kfk_offset <= read.proven_offset
)
{%- endmacro %}
