graph [
  node [
    id 0
    label "ann"
    p 1.E-05
  ]
  node [
    id 1
    label "bob"
    p 0.5
  ]
  node [
    id 2
    label "cy"
    p 3.0
  ]
  node [
    id 3
    label "dd"
    p 0.2
  ]
  edge [
    source 0
    target 1
    weight 2.5
  ]
  edge [
    source 0
    target 2
    weight 2.5
  ]
  edge [
    source 1
    target 2
    weight 2.5
  ]
  edge [
    source 2
    target 3
    weight 2.5
  ]
]
