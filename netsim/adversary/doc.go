// Package adversary has members for simulations that do not follow the protocol,
// each in a file of its own, to see what becomes of the others. They stand in
// netsim.Config.Adversaries by rank. docs/explanation/adversaries.md tells what is
// promised against each, and the tests here show it.
//
// Start reading at [Silent].
package adversary

import "github.com/collabdict/collabdict/consensus"

// honest follows the protocol; adversaries say what they do otherwise.
type honest struct{}

// Call implements netsim.Adversary.
func (honest) Call(c consensus.Call) consensus.Call { return c }

// mailed is the message as it is.
func mailed(m consensus.Message) []consensus.Message { return []consensus.Message{m} }
