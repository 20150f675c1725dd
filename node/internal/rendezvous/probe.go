package rendezvous

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A Probed is a member's answer to a probe.
type Probed struct {
	Name     string
	ID       peer.ID
	Err      error         // reason if there is no answer, else nil
	Trip     time.Duration // time from the hello to its answer; 0 without one
	Ahead    time.Duration // how far its clock is ahead, to within half of Trip
	Differs  []membership.Difference
	Refused  string      // why it would not admit this process
	Links    []wire.Link // its connections to members
	Relays   bool        // whether it relays connections between members
	Via      peer.ID     // the member that relays the connection
	Failures []string    // errors of its addresses
	InRun    bool        // whether it has signed a roster
}

// Probe says hello to a member without taking part in a run.
func (r *Rendezvous) Probe(ctx context.Context, o membership.Member) Probed {
	p := Probed{Name: o.Name, ID: o.ID}
	ctx, cancel := context.WithTimeout(ctx, 2*helloTimeout)
	defer cancel()
	if err := r.cfg.Host.Connect(ctx, peer.AddrInfo{ID: o.ID}); err != nil {
		p.Err = err
		r.cfg.Host.Failed(o.ID, o.Name, err)
		for _, f := range r.cfg.Host.Failures(o.ID) {
			p.Failures = append(p.Failures, f.Address+": "+f.Reason)
		}
		return p
	}
	var h wire.Hello
	var began time.Time
	p.Err = r.converse(ctx, o.ID, func(s network.Stream) (err error) {
		own := r.hello(o.ID)
		own.Probe = true
		var b []byte
		began = time.Now()
		if err = r.write(s, own); err == nil {
			b, err = wire.ReadMessage(s, r.helloMost())
		}
		if err == nil {
			h, err = wire.UnmarshalHello(b)
		}
		return err
	})
	if p.Err != nil {
		return p
	}
	p.Trip = time.Since(began)
	for _, l := range r.cfg.Host.Links() {
		if l.ID == o.ID {
			p.Via = l.Via
		}
	}
	p.Ahead = time.UnixMilli(h.Clock).Sub(began.Add(p.Trip / 2))
	p.Refused, p.Links, p.Relays, p.InRun = membership.Printable(h.Refused), h.Links, h.Relays, h.Roster != nil
	if p.Refused == "" {
		p.Differs = r.cfg.Agreement.Differences(h.Agreement)
	}
	return p
}

// ProbedUnreached returns the pairs of members that do not reach each other, judged by the
// answers of probes. It knows this process, the members that answered, and those that they or
// this process are connected to. In a run of more than linksMost members, answers list no
// connections, so it returns none.
func (r *Rendezvous) ProbedUnreached(found []Probed) []Unreached {
	if r.cfg.Size > linksMost {
		return nil
	}
	reach, own := newReach(), r.cfg.Host.ID()
	r.mu.Lock()
	defer r.mu.Unlock()
	reach.add(own, r.links(), r.cfg.Host.Relays(), r.nameHere)
	for _, p := range found {
		if p.Err == nil {
			reach.add(p.ID, p.Links, p.Relays, r.nameHere)
		}
	}
	return reach.unreached()
}
