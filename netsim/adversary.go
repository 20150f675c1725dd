package netsim

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// Adversary is a member that follows the protocol but for what it says here.
// Package netsim/adversary has some.
type Adversary interface {
	// Call returns what the member contributes in place of its own.
	Call(c consensus.Call) consensus.Call
	// Send returns what leaves the member for another one in place of a message;
	// nothing, if it keeps silent. The message and what is in it are shared and not
	// to be modified.
	Send(to int, m consensus.Message, r *rand.Rand) []consensus.Message
}
