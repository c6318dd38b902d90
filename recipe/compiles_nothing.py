"""Run a command line of gomkcn in the environment of this Python; fail where it compiled anything.

ENV/bin/python recipe/compiles_nothing.py mine planted.graph --out run
"""

import sys

from gomkcn.commands.main import main

if __name__ == "__main__":
    main.main(sys.argv[1:], standalone_mode=False)
    from gomkcn_dgl.runtime.compiled import compiling

    if compiling.number:
        sys.exit(f"{compiling.number} functions were compiled: {', '.join(sys.argv[1:])}")
