Creator "Mark Newman on Sat Jul 22 05:32:16 2006"
graph
[
  node
  [
    id 1
    label "Ann"
    value 3
  ]
  node
  [
    id 2
    label "Bob"
    value 5
  ]
  edge
  [
    source 2
    target 1
    value 1
  ]
  edge
  [
    source 1
    target 2
    value 1
  ]
]
