"""What is left of the spelling of one door in a sentence for the other one."""

import functools
import re
import sys

import click

# what a name or a value holds is quoted, and nobody's spelling
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# code that only Python has, such as as_csr(graph, weight=…)
_CALL = re.compile(r"\w\([^()]*\)")
# a word that begins with two hyphens; a custom property of CSS ends with a colon, or is in var()
_OPTION = re.compile(r"(?<![\w(>-])--[a-z][a-z-]*(?!\w*:)|(?<!var)\(--[a-z-]+")
_ARGUMENT = re.compile(r"\b([A-Za-z_]+)=")
# what a user types to go on with a run that was stopped, as it was typed
_COMMAND_LINE = re.compile(r"(?<=; to go on: )gomkcn .*")
# modules that make messages for others
_MAKERS = ("gomkcn_dgl.errors", "gomkcn_dgl.messages", "dataclasses")


def options_in(sentence):
    """The options that a sentence holds, outside of what it quotes and of a command to type."""
    return _OPTION.findall(_QUOTED.sub("", _COMMAND_LINE.sub("", sentence)))


_BOUND = re.compile(r"--(?:min|max)imum \S+=")


def arguments_in(sentence):
    """The arguments of Python, each with a value, for which some command has an option."""
    # a bound is given as COLUMN=VALUE, and a column may be called as an option is
    sentence = _BOUND.sub("", sentence)
    plain = _CALL.sub("", _QUOTED.sub("''", _COMMAND_LINE.sub("", sentence)))
    return [name for name in _ARGUMENT.findall(plain) if name in names_of_options()]


def made_by_a_command():
    """Whether the message that is being made is one of a command, which knows its own options."""
    frame = sys._getframe(2)
    while frame.f_globals["__name__"] in _MAKERS:
        frame = frame.f_back
    return frame.f_globals["__name__"].startswith("gomkcn.commands")


def all_commands(group=None, path=()):
    """The commands by their words: ``("generate", "planted")``."""
    from gomkcn.commands.main import main

    found = {}
    for name, command in (main if group is None else group).commands.items():
        if isinstance(command, click.Group):
            found |= all_commands(command, (*path, name))
        else:
            found[(*path, name)] = command
    return found


@functools.cache
def names_of_options():
    """The parameters for which some command has an option."""
    params = [param for command in all_commands().values() for param in command.params]
    options = [param for param in params if isinstance(param, click.Option)]
    return {name for one in options for name in (one.name, *getattr(one, "parameters", ()))}


@functools.cache
def spelling_of_all_commands():
    """The spelling of a command that would have the options of all."""
    from gomkcn.commands.spelling import spelling_of

    return spelling_of([param for command in all_commands().values() for param in command.params])
