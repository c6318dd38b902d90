Creator "igraph version 1.0.0 Sat Nov 28 12:52:31 2026"
Version 1
graph
[
  directed 0
  node
  [
    id 0
    name "ann"
    p 1e-05
  ]
  node
  [
    id 1
    name "bob"
  ]
  node
  [
    id 2
    name "cy"
    p 3
  ]
  node
  [
    id 3
    name "dd"
    p 0.2
  ]
  edge
  [
    source 1
    target 0
    weight 1e-05
  ]
  edge
  [
    source 2
    target 1
    weight 0.5
  ]
  edge
  [
    source 2
    target 0
    weight 2
  ]
  edge
  [
    source 3
    target 2
    weight 1e+20
  ]
]
