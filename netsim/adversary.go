package netsim

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// An Adversary is a member that follows the protocol except in what Call and Send change.
type Adversary interface {
	// Call returns the call that the member makes in place of its own.
	Call(c consensus.Call) consensus.Call
	// Send returns the messages that the member sends to another one in place of m; none if it
	// keeps silent. The message and its contents are shared and must not be modified.
	Send(to int, m consensus.Message, r *rand.Rand) []consensus.Message
}
