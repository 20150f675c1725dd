package experiment

import (
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/netsim"
)

// observers all see the same.
type observers []netsim.Observer

func (o observers) Called(member int, slot uint64, c consensus.Call) {
	for _, x := range o {
		x.Called(member, slot, c)
	}
}

func (o observers) Sent(from, to int, m consensus.Message) {
	for _, x := range o {
		x.Sent(from, to, m)
	}
}

func (o observers) Decided(member int, d *consensus.Decision) {
	for _, x := range o {
		x.Decided(member, d)
	}
}
