package node

// Simulation is what tests of package node_test have of this package's.
type Simulation = simulation

// Simulate is simulate.
var Simulate = simulate
