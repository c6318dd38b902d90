from gomkcn.mining import *
from gomkcn.synthetic import *
from gomkcn_dgl import *

__version__: str
