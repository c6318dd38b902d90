"""The exceptions that this project raises on purpose; each message is one sentence for a person."""

from __future__ import annotations


class GomkcnError(Exception):
    """Base of every error raised on purpose; the command line prints it and exits with 2."""


class InputError(GomkcnError, ValueError):
    """An argument, a file or a graph has the right type and a wrong value."""


class InputTypeError(GomkcnError, TypeError):
    """An argument has a type that is not supported."""


class BackendError(GomkcnError, RuntimeError):
    """The requested backend cannot run here."""


class MissingDGLError(GomkcnError, ImportError):
    """DGL is not installed, or the installed one cannot be imported."""
