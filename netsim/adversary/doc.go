// Package adversary has members for simulations that do not follow the protocol,
// each in a file of its own, to see what becomes of the others. What is promised
// against each is told in docs/explanation/adversaries.md, and tested here.
package adversary

import "github.com/collabdict/collabdict/consensus"

// honest follows the protocol; adversaries say what they do otherwise.
type honest struct{}

// Call implements netsim.Adversary.
func (honest) Call(c consensus.Call) consensus.Call { return c }

// mailed is the message as it is.
func mailed(m consensus.Message) []consensus.Message { return []consensus.Message{m} }
