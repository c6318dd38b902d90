from gomkcn_dgl import *
from mining import *
from synthetic import *

__version__: str
