{% materialization cut, adapter='lakemirror', supported_languages=['sql'] %}
    {%- set source_names = config.require('source_names') -%}
    {%- set target = this.incorporate(type='table') -%}
    {%- set existing = load_relation(this) -%}
    {%- set mirrors = cut_mirrors(compiled_code, model.name) -%}
    {%- set heard = cut_time(source_names, model.name) -%}
    {%- set known = known_cut(existing) -%}
    {%- set is_due = heard['complete_until'] and not (
        mirrors | map(attribute='name') | sort | list == known.keys() | sort | list
        and heard['complete_until'] in known.values() | map(attribute='complete_until') | list
    ) -%}

    {{ run_hooks(pre_hooks) }}
    {%- if existing is none -%}
        {%- do run_query(create_cut_sql(target)) -%}
    {%- endif -%}
    {%- if not is_due -%}
        {%- call noop_statement('main', 'NOTHING NEW') -%}{%- endcall -%}
    {%- else -%}
        {%- set rows = [] -%}
        {%- for mirror in mirrors -%}
            {%- do rows.append(cut_mirror(
                mirror, heard, known[mirror.name].known_from if mirror.name in known else none
            )) -%}
        {%- endfor -%}
        {%- call statement('main') -%}
            {{ cut_sql(target, rows) }}
        {%- endcall -%}
        {%- do persist_docs(target, model) -%}
        {%- do tell_run('cut at ' ~ heard['complete_until'], {'merged_by': 'snapshots'}) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target]}) }}
{% endmaterialization %}
