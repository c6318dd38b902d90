"""The `gomkcn` command in this process: run a command line, and read what it says."""

import logging
import shlex

from click.testing import CliRunner

from gomkcn.commands.main import main


def invoke(command):
    """Run a command line; it leaves no handler on the log."""
    log = logging.getLogger("gomkcn_dgl")
    handlers, level = list(log.handlers), log.level
    try:
        return CliRunner().invoke(main, shlex.split(command), catch_exceptions=False)
    finally:
        log.handlers[:], log.level = handlers, level


def gomkcn(command):
    """Run a command line that must succeed; return what it printed."""
    result = invoke(command)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(command):
    """Run a command line that must be refused; return its one sentence."""
    result = invoke(command)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    # the log may have said before what was read
    *log, sentence = result.stderr.splitlines()
    assert all(line.startswith("gomkcn: ") for line in log)
    assert log == [] or "--quiet" not in command
    assert sentence.startswith("gomkcn: ")
    assert sentence.endswith(".")
    return sentence.removeprefix("gomkcn: ")
