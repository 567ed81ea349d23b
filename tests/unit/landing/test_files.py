"""What landing reads of a path."""

from lakemirror.landing.files import literal


def test_a_link_keeps_its_name(tmp_path, monkeypatch):
    """Reports know files by it: by another name they would be new. A server sees it as it is."""
    (tmp_path / "there [1]").mkdir()
    (tmp_path / "link").symlink_to("there [1]")
    monkeypatch.chdir(tmp_path)
    assert literal("link") == f"{tmp_path}/link"
    assert literal("./there [1]") == f"{tmp_path}/there \\[1\\]"
    assert literal("s3://b/*") == "s3://b/*"
