"""The exceptions that this project raises on purpose; each message is one sentence for a person."""

from __future__ import annotations

from typing import TypeVar

from gomkcn_dgl.messages import Message, Spelling, Text

Raised = TypeVar("Raised", bound="GomkcnError")


class GomkcnError(Exception):
    """Base of every error raised on purpose; the command line prints it and exits with its code.

    It is made of a sentence, or of a parameter and the rule that it must follow. What came and the
    way out are parts of their own; ``message`` holds all of them.

    >>> str(GomkcnError("num_hops", "must be at least 1", got=0, way_out="look further"))
    'num_hops must be at least 1, got 0; look further.'
    >>> str(GomkcnError("the file is empty."))
    'the file is empty.'
    """

    exit_code = 2
    full_stop = "."

    def __init__(
        self,
        sentence: Text = "",
        rule: Text = "",
        *,
        got: object = "",
        way_out: Text = "",
        place: str = "",
    ) -> None:
        super().__init__(sentence, rule)
        parameter, rule = (str(sentence), rule) if rule else ("", sentence)
        rule = rule.removesuffix(".") if isinstance(rule, str) else rule
        self.message = Message(rule, parameter, str(got), way_out, place)

    def __str__(self) -> str:
        return self.spelled(str)

    def spelled(self, spelling: Spelling) -> str:
        """The sentence, with the parameters as they are spelled for who reads it."""
        text = self.message.spelled(spelling)
        return text if text.endswith("?") else text + self.full_stop

    @classmethod
    def of(cls: type[Raised], message: Message) -> Raised:
        """An error with a message that is made already."""
        error = cls()
        error.message = message
        return error

    def at(self: Raised, place: str) -> Raised:
        """The same error about something in a place, such as a file."""
        return type(self).of(self.message.at(place))


class InputError(GomkcnError, ValueError):
    """An argument, a file or a graph has the right type and a wrong value."""


class InputTypeError(GomkcnError, TypeError):
    """An argument has a type that is not supported."""


class BackendError(GomkcnError, RuntimeError):
    """The requested backend cannot run here."""


class MissingDGLError(GomkcnError, ImportError):
    """DGL is not installed, or the installed one cannot be imported."""


class MissingTorchError(GomkcnError, ImportError):
    """PyTorch is not installed."""
