// Package adversary has members for simulations that do not follow the protocol, to test how the
// other members fare.
//
//	network, err := netsim.New(netsim.Config{
//		Names:       netsim.Names(5),
//		Adversaries: map[int]netsim.Adversary{4: adversary.Silent{}}, // by rank
//	})
//	if err != nil {
//		return err
//	}
//	report, err := network.Run(ctx, participate) // report.Members[4] is the silent one
//
// Some change the contribution of a member ([Scaled], [Flipped]), and some its messages
// ([Silent], [Garbage], [NaN], [Replay], [Equivocator]). The promises of the protocol against
// each are in docs/explanation/adversaries.md, and the tests of this package show them.
//
// Start reading at [Silent].
package adversary

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// honest follows the protocol. Adversaries embed it and override a method.
type honest struct{}

// Call implements netsim.Adversary.
func (honest) Call(c consensus.Call) consensus.Call { return c }

// Send implements netsim.Adversary.
func (honest) Send(_ int, m consensus.Message, _ *rand.Rand) []consensus.Message { return mailed(m) }

// mailed returns the message unchanged.
func mailed(m consensus.Message) []consensus.Message { return []consensus.Message{m} }
