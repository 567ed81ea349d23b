{# a day without a row has a commit and no partition; one whose commit has expired has its partition #}
{% test days_are_published(model, watermark, keep_days=none) %}
    with

    published as (

        select cast(snapshots.summary['lakemirror.ds'] as date) as ds
        from {{ model }}.snapshots as snapshots
        inner join {{ model }}.history as history
            on snapshots.snapshot_id = history.snapshot_id and history.is_current_ancestor
        union
        select partition.ds
        from {{ model }}.partitions

    ),

    heard as (

        {{ watermark_sql(watermark) | indent(8) }}

    ),

    bounds as (

        select
            (select min(ds) from published) as first_day,
            date_sub(cast(complete_until as date), 1) as last_day
        from heard

    ),

    due as (

        select ds
        from bounds
        lateral view explode(sequence(first_day, last_day)) days as ds
        where first_day <= last_day
        {%- if keep_days %}
            and (ds > date_sub(bounds.last_day, {{ keep_days }}) or ds = last_day(ds))
        {%- endif %}
        {%- if var('ds', none) %}
        union
        select explode(sequence(date '{{ var('ds', none) }}', date '{{ var('ds_to', none) or var('ds', none) }}'))
        {%- endif %}

    )

    select due.ds
    from due
    left anti join published on due.ds = published.ds
{% endtest %}
