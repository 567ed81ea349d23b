"""What reaches Spark in runs of dbt, in brief: of a statement its verb and its first table."""

import re

STAGE = re.compile(r"(judged__)?mirror__shop__t__\d{8}t\d{6}_[0-9a-f]{8}(__rows)?")
BRANCH = re.compile(r"lakemirror_[0-9a-f]{8}_[0-9a-f_]{27}")
VERBS = (
    r"(create \w+|show \w+|\w+ table|describe|metadata|select|with|insert|delete|merge|call|publish"
    r"|drop)"
)


class Statements(list[str]):
    """The statements since they were last asked for, with their comments."""

    def naming(self, names: str) -> list[str]:
        """Those that name a table of the pattern ``names``."""
        found = [brief(text, names) for text in self if re.search(names, plain(text))]
        self.clear()
        return found

    def of_model(self, model: str, names: str) -> list[str]:
        """All that dbt has run for a model."""
        found = [brief(text, names) for text in self if f'.{model}"' in text]
        self.clear()
        return found


def plain(statement: str) -> str:
    """A statement without its comments, on one line, whatever names the run has made."""
    text = " ".join(re.sub(r"/[*].*?[*]/", "", statement, flags=re.DOTALL).split())
    text = STAGE.sub(lambda found: "judged_batch" if found[1] else "batch", text)
    return BRANCH.sub("of_run", text)


def brief(statement: str, names: str) -> str:
    text = plain(statement)
    verb, tables = re.match(VERBS, text), re.findall(names, text)
    return f"{verb[0] if verb else ''} {tables[0] if tables else ''}".strip()
