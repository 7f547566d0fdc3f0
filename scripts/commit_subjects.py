"""Checks the subjects of commits.

`python3 scripts/commit_subjects.py main` looks at every commit after `main` (a branch, a tag or a commit), up to the
one that is checked out. Without a place to start from, and where git does not know it, it looks at the last commit
alone. CI runs it on what was pushed. Standard library only.
"""

import subprocess
import sys
from collections.abc import Iterator
from typing import Final

# A subject of this length is shown whole by `git log`, by mails and on the pages of code hosts.
LONGEST: Final = 71


def git(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """A git command that has ended, well or not."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)


def slips(message: str) -> Iterator[str]:
    """What is not as CONTRIBUTING.md wants it, one sentence each."""
    subject, *body = message.rstrip("\n").split("\n")
    if len(subject) > LONGEST:
        yield f"the subject has {len(subject)} characters; {LONGEST} are the most"
    if not subject[:1].isupper():
        yield "the subject does not begin with a capital letter"
    if subject.endswith("."):
        yield "the subject ends with a full stop"
    if body and body[0]:
        yield "no empty line follows the subject"


def main() -> int:
    """Print each slip with its commit; the exit code is 1 if there is one."""
    since = sys.argv[1] if len(sys.argv) > 1 else ""
    known = since and git("rev-parse", "--quiet", "--verify", f"{since}^{{commit}}").returncode == 0
    which = [f"{since}..HEAD"] if known else ["-1", "HEAD"]
    log = git("log", "--no-merges", "-z", "--format=%h %B", *which)
    if log.returncode != 0:
        print(log.stderr, end="", file=sys.stderr)
        return 2
    found = 0
    for commit in filter(None, log.stdout.split("\0")):
        name, _, message = commit.partition(" ")
        for sentence in slips(message):
            print(f"{name}: {sentence}: {message.splitlines()[0] if message else ''}", file=sys.stderr)
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
