"""``python -m gomkcn`` is the `gomkcn` command."""

from gomkcn.commands.main import main

if __name__ == "__main__":
    main()
