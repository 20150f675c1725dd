// Package scenario reads the faults of a simulation, from one line of text
//
//	crash:node=3,at=2m;partition:a=1-4|b=5-7,at=5m,for=1m;loss:rate=0.01
//
// or from YAML with the same words
//
//	compute: 2s
//	latency: {kind: log-normal, median: 40ms, sigma: 0.5}
//	faults:
//	  - crash: {node: 3, at: 2m, for: 30s}
//
// and converts them to settings of package netsim. Use it where people describe a network, as in
// a flag or a file:
//
//	faults, err := scenario.Parse("--faults", text)
//	if err != nil {
//		return err
//	}
//	config := netsim.Config{Names: netsim.Names(5), Seed: 1}
//	if err := faults.Apply(&config); err != nil {
//		return err
//	}
//	network, err := netsim.New(config) // its faults are those of text
//
// A [Scenario] is a list of words, each with values. [Parse] and [ParseYAML] check the words, and
// [Scenario.Apply] checks the values, since members are known only then. Each error gives the
// place, the word, the value and the value wanted.
//
// Start reading at [Parse]; the words are in apply.go.
package scenario
