def test_a_branch_of_the_runs_own(macros):
    said = []
    macros.context["adapter"].execute_until_committed = said.append
    macros.context["invocation_id"] = "01-ab"
    assert macros.begin_branch("mirror.o") == "lakemirror_01_ab"
    assert said == ["alter table mirror.o create or replace branch lakemirror_01_ab retain 1 days"]
