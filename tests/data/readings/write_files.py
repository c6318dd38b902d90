"""Write those of these files that come from Python libraries: `python write_files.py` here.

All others were written by hand in the exact form of their tools. Each holds the graph ann–bob,
bob–cy, ann–cy, cy–dd, as far as its format allows.
"""

import json
from pathlib import Path

import igraph
import networkx as nx
import pandas as pd
import scipy.io
import scipy.sparse as sp
import torch
from rdkit import Chem

from gomkcn import as_csr
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.io.writing import write_graph

EDGES = [("ann", "bob"), ("bob", "cy"), ("ann", "cy"), ("cy", "dd")]

graph = nx.Graph()
graph.add_edges_from(EDGES, weight=2.5)
nx.set_node_attributes(graph, {"ann": 1e-05, "bob": 0.5, "cy": 3.0, "dd": 0.2}, "p")
nx.write_graphml(graph, "networkx.graphml")
nx.write_gml(graph, "networkx.gml")
nx.write_gexf(graph, "networkx.gexf")
nx.write_pajek(graph, "networkx.net")
nx.write_edgelist(graph, "networkx.edgelist")
nx.write_adjlist(graph, "networkx.adjlist")
nx.write_weighted_edgelist(graph, "networkx_weighted.edgelist")
for name, form in (
    ("node_link", nx.node_link_data),
    ("adjacency", nx.adjacency_data),
    ("cytoscape", nx.cytoscape_data),
):
    with open(f"networkx_{name}.json", "w") as file:
        json.dump(form(graph), file)
rows = nx.convert_node_labels_to_integers(graph)
nx.write_graph6(rows, "networkx.g6")
nx.write_sparse6(rows, "networkx.s6")
relations = nx.MultiDiGraph()
for source, target, kind in (
    ("ann", "bob", "likes"),
    ("ann", "bob", "hates"),
    ("cy", "ann", "likes"),
):
    relations.add_edge(source, target, type=kind)
nx.write_graphml(relations, "networkx_relations.graphml")

other = igraph.Graph.TupleList(EDGES)
other.vs["p"] = [1e-05, float("nan"), 3.0, 0.2]
other.es["weight"] = [1e-05, 0.5, 2, 1e20]
other.write_graphml("igraph.graphml")
other.write_graphmlz("igraph.graphml.gz")
other.write_gml("igraph.gml")
other.write_pajek("igraph.net")
other.write_ncol("igraph.ncol")
other.write_lgl("igraph.lgl")
other.write_edgelist("igraph.edges")
flow = igraph.Graph([(0, 1), (1, 2), (0, 2), (2, 3)], directed=True)
flow.write_dimacs("igraph.dimacs", 0, 3, [1, 2, 3, 4])

write_graph("gomkcn.graph", as_csr(graph, weight="none"))

matrix = sp.coo_array(nx.to_scipy_sparse_array(rows, weight="weight"))
scipy.io.mmwrite("scipy.mtx", matrix)
sp.save_npz("scipy.npz", sp.csr_array(matrix))

table = pd.DataFrame(EDGES, columns=["source", "target"])
table["weight"] = 2.5
table.to_csv("pandas.csv")
table.to_csv("pandas.tsv", sep="\t", index=False)
table.to_parquet("pandas.parquet")
table.to_json("pandas_records.json", orient="records")
table.to_json("pandas_records.jsonl", orient="records", lines=True)

source, target = torch.tensor([0, 1, 0, 2]), torch.tensor([1, 2, 2, 3])
heads = dgl.graph((torch.cat([source, target]), torch.cat([target, source])))
heads.ndata["feat"] = torch.ones(4, 2)
dgl.save_graphs("dgl.bin", [heads])
for layout in ("csr", "csc"):
    dgl.save_graphs(f"dgl_{layout}.bin", [heads.formats(layout)])
links = {
    ("person", "likes", "person"): ([0, 1], [1, 2]),
    ("person", "knows", "person"): ([0, 2], [2, 3]),
}
dgl.save_graphs("dgl_relations.bin", [dgl.heterograph(links)])
# as DGL 0.4 did it; the functions are still there for its tests
index = dgl.graph_index.from_coo(4, *heads.edges(), True)
feat = {"feat": dgl.backend.zerocopy_to_dgl_ndarray(heads.ndata["feat"])}
serialize = dgl.data.graph_serialize
graph_data = serialize._CAPI_MakeGraphData(index, feat, None)
labels = dgl.container.convert_to_strmap({})
serialize._CAPI_SaveDGLGraphs_V0("dgl_version_1.bin", [graph_data], labels)
for path in Path().glob("dgl*.bin"):
    data = bytearray(path.read_bytes())
    # DGL leaves there what the memory held before
    data[32:4096] = bytes(4064)
    path.write_bytes(data)

molecule = Chem.MolFromSmiles("CCO")
molecule.SetProp("_Name", "ethanol")
with Chem.SDWriter("rdkit.sdf") as writer:
    writer.write(molecule)
with Chem.SmilesWriter("rdkit.smi", delimiter="\t", includeHeader=False) as writer:
    writer.write(molecule)
