from lakemirror.runs.policies import Policy


def test_the_commit_of_the_properties_removes_what_is_too_much(macros, sql):
    assert sql(macros.trim_metadata_sql("ops.t", Policy(metadata_files=3))) == sql("""
        alter table ops.t set tblproperties (
            'write.metadata.delete-after-commit.enabled' = 'true',
            'write.metadata.previous-versions-max' = '3'
        )
    """)
