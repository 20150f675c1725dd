package adversary

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// Silent receives, and sends nothing.
type Silent struct{ honest }

// Send implements netsim.Adversary.
func (Silent) Send(int, consensus.Message, *rand.Rand) []consensus.Message { return nil }
