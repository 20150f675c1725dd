package consensus

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// An openPads opens a result with the pads of all members of the attempt. Each member sends its
// pad to all, and its shares of pads that do not come.
type openPads struct {
	decidedSlot
	decided time.Duration    // when this member learnt the decision
	pads    map[int][32]byte // kept: known pads, by owner
	shown   bool             // this member has sent its shares
	lost    []uint32
}

func (o *openPads) receive(_ int, body Body, _ opening) []mail {
	switch b := body.(type) {
	case *Pads:
		for _, p := range b.Pads {
			if _, known := o.pads[int(p.Member)]; !known && o.belongs(int(p.Member)) {
				o.pads[int(p.Member)] = p.Seed
			}
		}
	case *Shares:
		o.receiveShares(b.Shares)
	}
	return nil
}

// advance sends this member's pad, once. It checks known pads against their commitments and
// rebuilds missing ones from shares where it can.
func (o *openPads) advance(open opening) (out []mail, step bool) {
	if _, known := o.pads[o.self]; !known && o.Sealed && open.secrets != nil && open.secrets.dealt && open.values > 0 {
		o.pads[o.self] = open.secrets.pad
		out = append(out, mail{All, &Pads{Pads: []Pad{{uint32(o.self), open.secrets.pad}}}})
	}
	if open.sealed == nil {
		return out, false
	}
	for i, commit := range open.sealed.Commits {
		owner := int(open.sealed.Members[i])
		pad, known := o.pads[owner]
		if known && o.commitment(owner, o.attempt, pad) == commit {
			continue
		}
		delete(o.pads, owner) // it does not match its owner's commitment
		if pad, known = o.padFromShares(owner, commit); known {
			o.pads[owner] = pad
			o.lost = append(o.lost, uint32(owner))
		}
	}
	return out, false
}

func (o *openPads) ready(sealed *Sealed) bool { return len(o.waiting(sealed)) == 0 }

func (o *openPads) total(sealed *Sealed) ([]float64, error) {
	layout, err := o.layout(sealed)
	if err != nil {
		return nil, err
	}
	masks := make([]chunking.Mask, len(sealed.Commits))
	for i := range masks {
		owner := int(sealed.Members[i])
		masks[i] = o.padMask(owner, o.attempt, o.pads[owner])
	}
	return layout.Total(sealed.Words, nil, masks...)
}

// tick sends this member's shares of missing pads, once: after 2 heartbeats, or at once if all
// their owners are lost.
func (o *openPads) tick(open opening, w patience) []mail {
	if o.shown || open.sealed == nil {
		return nil
	}
	lacking := o.waiting(open.sealed)
	present := slices.ContainsFunc(lacking, func(owner int) bool { return !w.without(owner) })
	if lacking == nil || present && open.now-o.decided < 2*open.every {
		return nil
	}
	o.shown = true
	b := open.sharesOf(lacking)
	if b == nil {
		return nil
	}
	o.receiveShares(b.Shares)
	return []mail{{All, b}}
}

// waiting returns the members whose pads are unknown.
func (o *openPads) waiting(sealed *Sealed) (lacking []int) {
	if sealed == nil {
		return nil
	}
	for i := range sealed.Commits {
		if _, known := o.pads[int(sealed.Members[i])]; !known {
			lacking = append(lacking, int(sealed.Members[i]))
		}
	}
	return lacking
}

func (o *openPads) help(open opening) (bodies []Body) {
	if open.sealed == nil {
		return nil
	}
	pads := &Pads{}
	for _, owner := range open.sealed.Members {
		if pad, known := o.pads[int(owner)]; known {
			pads.Pads = append(pads.Pads, Pad{owner, pad})
		}
	}
	if pads.Pads != nil {
		bodies = append(bodies, pads)
	}
	if b := open.sharesOf(o.waiting(open.sealed)); b != nil {
		bodies = append(bodies, b)
	}
	return bodies
}

// sharesOf returns this member's shares of other members' pads, or nil without any.
func (open opening) sharesOf(owners []int) *Shares {
	if open.secrets == nil {
		return nil
	}
	b := &Shares{}
	for _, o := range owners {
		if share, held := open.secrets.held[o]; held {
			b.Shares = append(b.Shares, PadShare{uint32(o), *share})
		}
	}
	if b.Shares == nil {
		return nil
	}
	return b
}

func (o *openPads) again(int, uint32) []mail { return nil }

func (o *openPads) session() (round uint32, runs bool) { return 0, false }

func (o *openPads) recovered() []uint32 { return o.lost }

func (o *openPads) known() (pads []Pad) {
	for owner, pad := range o.pads {
		pads = append(pads, Pad{uint32(owner), pad})
	}
	slices.SortFunc(pads, func(p, q Pad) int { return int(p.Member) - int(q.Member) })
	return pads
}

func (o *openPads) padSum() []uint64 { return nil }

func (o *openPads) close() { o.shares, o.lost = nil, nil }
