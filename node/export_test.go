package node

// Simulation exports the simulated network to package node_test.
type Simulation = simulation

// Simulate is simulate.
var Simulate = simulate
