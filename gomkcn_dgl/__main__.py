"""``python -m gomkcn_dgl`` is the `gomkcn` command."""

from gomkcn_dgl.cli import main

if __name__ == "__main__":
    main()
