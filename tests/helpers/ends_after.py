"""A job that ends after a number of looks at the clock, whatever the machine."""


class EndsAfter:
    """In place of Interrupts: the reason to stop, from a number of looks on."""

    def __init__(self, looks, why="time limit"):
        self.looks, self.why = looks, why
        self.command = self.signal = ""

    @property
    def reason(self):
        self.looks -= 1
        return "" if self.looks >= 0 else self.why

    def keep_for_end(self, seconds):
        """Looks have no seconds."""
