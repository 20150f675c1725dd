package netsim

import (
	"math/rand/v2"
	"time"
)

// Churn lets members fail at random. In each model round a present member crashes with
// probability Rate, at a random instant of the round's first attempt. It comes back with its
// state one to three rounds later. If the others do not reach that round, it comes back after a
// minute of virtual time per round.
type Churn struct {
	Rate float64
	When
}

func (c Churn) check(int) error { return firstOf(checkRate(c.Rate), c.When.check()) }

func (c Churn) plan(n *network) {
	for _, m := range n.members {
		m.keepsDisk()
	}
	x := &churning{Churn: c, rng: n.source("churn")}
	c.When.plan(n, func(time.Duration) { n.churns = append(n.churns, x) }, func(time.Duration) { x.over = true })
}

type churning struct {
	Churn
	rng  *rand.Rand
	over bool
}

// strike draws whether a member that reaches a round fails in it.
func (c *churning) strike(n *network, rank int, round uint32, at time.Duration) {
	hit, instant, away := c.rng.Float64() < c.Rate, c.rng.Float64(), 1+c.rng.IntN(3)
	if !hit || c.over {
		return
	}
	m := n.members[rank]
	process := m.process
	attempt := n.config.Compute + attemptSteps*n.config.Latency.Least()
	if m.took > 0 {
		attempt = m.took
	}
	fail := at + time.Duration(instant*float64(attempt))
	n.push(event{at: fail, to: nobody, what: deed(func(at time.Duration) {
		if m.process != process || m.machine == nil {
			return
		}
		n.stop(rank, at, time.Duration(away)*time.Minute, false)
		stopped := m.process
		n.atRound(round+uint32(away), func(at time.Duration) {
			n.push(event{at: at, to: nobody, what: deed(func(at time.Duration) { n.restart(rank, at, stopped) })})
		})
	})})
}

// attemptSteps is roughly the number of consecutive messages in an attempt.
const attemptSteps = 20
