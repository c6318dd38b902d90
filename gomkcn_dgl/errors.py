"""The exceptions that this project raises on purpose; each message is one sentence for a person."""

from __future__ import annotations

_LONGEST = 1000


class GomkcnError(Exception):
    """Base of every error raised on purpose; the command line prints it and exits with its code."""

    exit_code = 2

    def __init__(self, message: object = "") -> None:
        super().__init__(_one_line(str(message)))


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


def _one_line(message: str) -> str:
    """Make one printable line of a message: what a file holds must not steer a terminal."""
    if len(message) > _LONGEST:
        # the rule stands at the start, the way out at the end
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 4 :]}"
    if message.isprintable():
        return message
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in message
    )
