package consensus

import (
	"maps"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/chunking"
)

// amends returns the digest of the requested amendment, of another one, or zero.
func (x *Fuzzed) amends() [32]byte {
	switch x.in.below(8) {
	case 1, 2:
		return fuzzedAmendment.digest()
	case 3:
		return x.digest()
	}
	return [32]byte{}
}

func InventPrepare(*Fuzzed) Body { return &Prepare{} }

func InventBusy(x *Fuzzed) Body { return &Busy{Working: x.number()} }

// value returns a value that some member has voted for, or another one.
func (x *Fuzzed) value() Value {
	var known []Value
	for _, v := range x.sortedVotes() {
		known = append(known, v.Value)
	}
	n := x.in.below(len(known) + 2)
	switch {
	case n < len(known):
		return known[n]
	case n == len(known) && n > 0:
		return Value{known[0].Attempt, x.digest(known[0].Digest)}
	}
	return Value{x.ballot(), x.digest()}
}

func (x *Fuzzed) sortedVotes() []Vote {
	return slices.SortedFunc(maps.Keys(x.signed), func(a, b Vote) int {
		if a.Ballot != b.Ballot {
			return int(a.Ballot) - int(b.Ballot)
		}
		return strings.Compare(string(a.Value.Digest[:]), string(b.Value.Digest[:]))
	})
}

// promise returns the attacker's own promise, or one that a member has made.
func (x *Fuzzed) promise(ballot uint32) Promise {
	given := x.promises[ballot]
	if n := x.in.below(len(given) + 2); n < len(given) {
		return given[n]
	}
	m := x.members[x.attacker]
	p := Promise{Member: uint32(x.attacker), Joins: x.in.below(8) > 0, Chain: x.chain(), Amends: x.amends()}
	if x.in.below(4) == 0 {
		p.Vote = &Vote{Ballot: x.ballot(), Value: x.value()}
	}
	if x.in.below(2) == 0 {
		p.Without = slices.Compact(slices.Sorted(slices.Values(x.ranks())))
	}
	p.Signature = testKeys(x.attacker).Sign(m.slot.ballots.promiseBytes(ballot, p))
	switch x.in.below(16) {
	case 1:
		p.Member = x.rank()
	case 2:
		p.Signature = nil
	case 3:
		p.Joins = !p.Joins
	case 4:
		p.Without = x.ranks()
	}
	return p
}

func InventPromise(x *Fuzzed) Body {
	p := x.promise(x.me().ballots.promised)
	return &p
}

func InventView(x *Fuzzed) Body {
	if x.in.below(4) > 0 {
		v := x.rightView()
		x.spoil(v)
		return v
	}
	v := &View{Ballot: x.ballot(), Amends: x.amends()}
	if bs := slices.Sorted(maps.Keys(x.promises)); len(bs) > 0 && x.in.below(4) > 0 {
		v.Ballot = bs[len(bs)-1]
	}
	switch x.in.below(3) {
	case 0: // all promises
		v.Promises = slices.Clone(x.promises[v.Ballot])
		if !slices.ContainsFunc(v.Promises, func(p Promise) bool { return int(p.Member) == x.attacker }) {
			v.Promises = append(v.Promises, x.promise(v.Ballot))
		}
	default:
		for range x.in.below(5) {
			v.Promises = append(v.Promises, x.promise(v.Ballot))
		}
	}
	switch x.in.below(4) {
	case 0:
		for _, p := range v.Promises {
			v.Members = append(v.Members, p.Member)
		}
		slices.Sort(v.Members)
		for r := range uint32(4) {
			if !slices.Contains(v.Members, r) {
				v.Missing = append(v.Missing, Missing{r, x.reason()})
			}
		}
	case 1:
		v.Members, v.Missing = x.ranks(), x.missing()
	case 2:
		value := x.value()
		v.Finish = &value
	case 3:
		if best := highestVote(v.Promises); best != nil {
			v.Finish = &best.Value
		}
	}
	return v
}

func (x *Fuzzed) done(slot uint64, ballot uint32, v Value, chain [32]byte) *Done {
	d := &Done{Value: v, Chain: chain}
	d.Signature = testKeys(x.attacker).Sign(voteBytes(x.members[x.attacker].p.Run, position{slot, chain}, ballot, v))
	return d
}

func InventDone(x *Fuzzed) Body {
	x.votedIn = x.ballot()
	d := x.done(x.me().number, x.votedIn, x.value(), x.chain())
	if x.in.below(8) == 1 {
		d.Signature = []byte{x.in.byte()}
	}
	return d
}

// certificate returns a certificate made of the votes so far and the attacker's.
func (x *Fuzzed) certificate(slot uint64) *Certificate {
	c := &Certificate{Ballot: x.ballot(), Value: x.value(), Chain: x.chain()}
	if votes := x.sortedVotes(); len(votes) > 0 && x.in.below(4) > 0 {
		v := votes[x.in.below(len(votes))]
		c.Ballot, c.Value = v.Ballot, v.Value
	}
	c.Votes = slices.Clone(x.signed[Vote{c.Ballot, c.Value}])
	if x.in.below(2) == 1 {
		c.Votes = append(c.Votes, SignedVote{uint32(x.attacker), x.done(slot, c.Ballot, c.Value, c.Chain).Signature})
	}
	if len(c.Votes) > 0 {
		switch at := x.in.below(len(c.Votes)); x.in.below(8) {
		case 1:
			c.Votes = append(c.Votes, c.Votes[at])
		case 2:
			c.Votes[at].Member = x.rank()
		case 3:
			c.Votes[at].Signature = nil
		case 4:
			c.Votes = c.Votes[:at]
		}
	}
	return c
}

func InventCommit(x *Fuzzed) Body { return &Commit{x.certificate(x.me().number)} }

func InventPads(x *Fuzzed) Body {
	b := &Pads{}
	for range x.in.below(6) {
		p := Pad{Member: x.rank()}
		if a := x.members[x.attacker].slot.attempts[x.ballot()]; a != nil {
			p.Seed = a.secrets.pad
		}
		p.Seed = x.digest(p.Seed)
		b.Pads = append(b.Pads, p)
	}
	return b
}

func InventShares(x *Fuzzed) Body {
	b := &Shares{}
	for range x.in.below(6) {
		p := PadShare{Member: x.rank(), Share: x.share()}
		if a := x.members[x.attacker].slot.attempts[x.ballot()]; a != nil && x.in.below(2) == 0 {
			p.Share = chunking.Share{}
			if share := a.secrets.held[int(p.Member)%4]; share != nil {
				p.Share = *share
			}
		}
		b.Shares = append(b.Shares, p)
	}
	return b
}

func InventDecided(x *Fuzzed) Body {
	if x.in.below(4) > 0 {
		b := x.rightDecided()
		x.spoilDecided(b)
		return b
	}
	d := Decision{Slot: x.me().number, Kind: Sum, Members: []uint32{0, 2, 3}, Total: []float64{1, 2, 3}, Certificate: x.certificate(x.me().number)}
	next := x.certificate(x.me().number + 1)
	for _, m := range x.members {
		if at := x.me().number; at < uint64(len(m.log)) {
			d = *m.log[at]
			if at+1 < uint64(len(m.log)) && x.in.below(4) > 0 {
				next = m.log[at+1].Certificate
			}
		}
	}
	mask := x.in.byte()
	if mask&1 != 0 {
		d.Slot = x.slot()
	}
	if mask&2 != 0 {
		d.Round, d.Attempt = x.number(), x.ballot()
	}
	if mask&4 != 0 {
		d.Members = slices.DeleteFunc(x.ranks(), func(r uint32) bool { return r > 3 })
	}
	if mask&8 != 0 {
		d.Missing = x.missing()
	}
	if mask&16 != 0 {
		d.Kind, d.Total, d.Blobs = Sum, []float64{float64(x.in.byte()), -3}[:x.in.below(3)], nil
		d.Digest = digestOfValues(d.Total)
	}
	if mask&32 != 0 {
		d.Kind, d.Total, d.Blobs = Gather, nil, [][]byte{{1}, {}, nil, []byte(x.reason())}
		d.Digest = digestOfBlobs(d.Blobs)
	}
	if mask&48 == 48 {
		d.Kind, d.Total, d.Blobs = Amend, nil, [][]byte{x.amendment()}
		d.Digest = digestOfBlobs(d.Blobs)
	}
	if mask&64 != 0 {
		d.Digest = x.digest(d.Digest)
	}
	if mask&128 != 0 {
		d.Certificate = x.certificate(x.me().number)
	}
	if d.Kind == Gather && len(d.Blobs) != 4 {
		d.Blobs = make([][]byte, 4)
	}
	return &Decided{Decision: &d, Next: next}
}

func InventHeartbeat(x *Fuzzed) Body {
	if x.in.below(4) > 0 {
		return x.rightHeartbeat()
	}
	mask := x.in.byte()
	return &Heartbeat{
		State: State(1 + x.in.below(12)), Promised: x.ballot(), Viewed: x.ballot(), Round: x.number(),
		Behind: mask&1 != 0, Stuck: mask&2 != 0, Ask: uint32(x.in.below(5)), Waiting: x.ranks(), Suspects: x.ranks(), Amends: x.amends(),
	}
}

// amendment returns the requested amendment, another one, or nonsense.
func (x *Fuzzed) amendment() []byte {
	switch x.in.below(4) {
	case 0:
		return fuzzedAmendment.Encode()
	case 1:
		return (&Amendment{
			Revision: x.number(), Removed: x.ranks(), Quorum: x.in.below(5), Colluders: x.in.below(5),
			Added: []Seat{{Name: x.reason()}},
		}).Encode()
	case 2:
		b := fuzzedAmendment.Encode()
		return b[:x.in.below(len(b))]
	}
	return []byte(x.reason())
}

func InventLeave(x *Fuzzed) Body {
	l := &Leave{Reason: x.reason(), Blame: x.ranks(), Returns: x.in.below(2) == 1}
	for range x.in.below(4) { // 2 of them are accepted
		v := CastVote{Member: x.rank(), Slot: uint64(x.in.below(3)), Chain: x.digest(), Vote: Vote{uint32(x.in.below(3)), Value{uint32(x.in.below(3)), x.digest()}}}
		v.Signature = []byte{x.in.byte()}
		l.Votes = append(l.Votes, v)
	}
	return l
}
