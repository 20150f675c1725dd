package adversary

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// Replay sends an old message again with each message.
type Replay struct {
	honest
	kept map[int][]consensus.Message
}

// mostKept bounds the messages kept per receiver.
const mostKept = 200

// Send implements netsim.Adversary.
func (a *Replay) Send(to int, m consensus.Message, r *rand.Rand) []consensus.Message {
	if a.kept == nil {
		a.kept = map[int][]consensus.Message{}
	}
	kept := a.kept[to]
	if len(kept) < mostKept {
		kept = append(kept, m)
	} else {
		kept[r.IntN(mostKept)] = m
	}
	a.kept[to] = kept
	return []consensus.Message{m, kept[r.IntN(len(kept))]}
}
