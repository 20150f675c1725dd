package consensus

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// The attacker's messages are nearly right: each field is correct, from another time, of a
// member that does not exist, or nonsense.

func (x *Fuzzed) me() *slot { return x.members[1].slot }

func (x *Fuzzed) slot() uint64 {
	n := x.me().number
	switch x.in.below(16) {
	case 1:
		return n + 1
	case 2:
		return n - 1
	case 3:
		return x.in.uint64()
	case 4:
		return math.MaxUint64
	}
	return n
}

func (x *Fuzzed) ballot() uint32 {
	switch x.in.below(8) {
	case 0, 1, 2:
		return x.me().ballots.promised
	case 3:
		return 0
	case 4: // the attacker's next
		return x.members[1].roster.next(x.attacker, x.me().ballots.promised)
	case 5:
		return uint32(x.in.below(12))
	case 6:
		return x.me().ballots.promised + 1
	}
	return x.number()
}

func (x *Fuzzed) number() uint32 {
	switch x.in.below(8) {
	case 0, 1, 2, 3:
		return uint32(x.in.below(5))
	case 4:
		return math.MaxUint32 - uint32(x.in.below(8))
	case 5:
		return 1<<30 + uint32(x.in.below(8))
	}
	return uint32(x.in.uint64())
}

// rank returns the rank of a member, or one that does not exist.
func (x *Fuzzed) rank() uint32 {
	if c := x.in.byte(); c < 250 {
		return uint32(c % 4)
	}
	return x.number()
}

func (x *Fuzzed) digest(right ...[32]byte) (d [32]byte) {
	switch n := x.in.below(4 + len(right)); {
	case n < len(right):
		return right[n]
	case n == len(right):
		return d
	case n == len(right)+1 && len(right) > 0:
		d = right[0]
		d[x.in.below(32)] ^= 1 << x.in.below(8)
		return d
	}
	for i := range d {
		d[i] = x.in.byte()
	}
	return d
}

func (x *Fuzzed) chain() [32]byte {
	if x.in.below(4) > 0 {
		return x.me().chain
	}
	return x.digest(x.me().chain)
}

// words returns random words: the right number, or more or fewer.
func (x *Fuzzed) words(right int) []uint64 {
	n := right
	switch x.in.below(4) {
	case 1:
		n = x.in.below(4)
	case 2:
		n = right + x.in.below(8)
	}
	words := make([]uint64, n)
	for i := range words {
		switch x.in.below(8) {
		case 0:
		case 1:
			words[i] = math.MaxUint64
		case 2:
			words[i] = math.Float64bits(math.MaxFloat64)
		case 3:
			words[i] = math.Float64bits(math.NaN())
		default:
			words[i] = x.in.uint64()
		}
	}
	return words
}

func (x *Fuzzed) layoutWords() int {
	if a := x.me().attempts[x.me().ballots.promised]; a != nil && a.layout != nil {
		return a.layout.Words()
	}
	return 4
}

func (x *Fuzzed) ranks() (ranks []uint32) {
	for range x.in.below(5) {
		ranks = append(ranks, x.rank())
	}
	if x.in.below(4) > 0 {
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
	}
	return ranks
}

func (x *Fuzzed) missing() (missing []Missing) {
	for _, r := range x.ranks() {
		missing = append(missing, Missing{r, x.reason()})
	}
	return missing
}

func (x *Fuzzed) reason() string {
	var b []byte
	for range x.in.below(20) {
		b = append(b, x.in.byte())
	}
	return strings.ToValidUTF8(string(b), "?")
}

func (x *Fuzzed) header(kind Kind) Header {
	h := Header{Kind: kind, Round: 1}
	if c := x.me().call; c != nil {
		h = c.header
	}
	mask := x.in.byte()
	if mask&1 != 0 {
		h.Kind = []Kind{Sum, Gather, Amend}[x.in.below(3)]
	}
	if mask&2 != 0 {
		h.Round = x.number()
	}
	if mask&4 != 0 {
		h.Length = x.number()
	}
	if mask&8 != 0 {
		h.Hash = x.digest(h.Hash)
	}
	return h
}

func (x *Fuzzed) viewDigest() [32]byte {
	var right [][32]byte
	for _, b := range slices.Sorted(maps.Keys(x.me().ballots.views)) {
		if v := x.me().ballots.views[b]; v.Finish == nil && !v.amends() {
			right = append(right, newAttempt(x.members[1].roster, x.members[1].slot.position, x.members[1].plans, v).seats().digest)
		}
	}
	return x.digest(right...)
}

func (x *Fuzzed) share() chunking.Share {
	return chunking.Share{X: byte(x.in.below(6)), Y: x.digest()}
}

// own returns the last message of a kind from the attacker to member 1 that is in flight.
func own[B any](x *Fuzzed) *B {
	for _, d := range slices.Backward(x.flight) {
		if b, is := d.msg.Body.(any).(*B); is && d.from == x.attacker && d.to == 1 {
			c := *b
			return &c
		}
	}
	return new(B)
}

// InventSeeds and the following functions make bodies from fuzzed input.
func InventSeeds(x *Fuzzed) Body {
	b := own[Seeds](x)
	mask := x.in.byte()
	if b.Header.Kind == 0 || mask&1 != 0 {
		b.Header = x.header(Sum)
	}
	if mask&2 != 0 || b.View == [32]byte{} {
		b.View = x.viewDigest()
	}
	if mask&4 != 0 {
		b.Chunk = [][]byte{nil, make([]byte, 32), bytes.Repeat([]byte{x.in.byte()}, 32), make([]byte, x.in.below(40))}[x.in.below(4)]
	}
	if mask&8 != 0 {
		b.Full = x.words(x.layoutWords())
	}
	if mask&16 != 0 {
		b.Share = nil
	}
	if mask&32 != 0 {
		s := x.share()
		b.Share = &s
	}
	if mask&64 != 0 {
		b.Commit = x.digest(b.Commit)
	}
	return b
}

func InventBlob(x *Fuzzed) Body {
	b := own[Blob](x)
	mask := x.in.byte()
	if b.Header.Kind == 0 || mask&1 != 0 {
		b.Header = x.header(Gather)
	}
	if mask&2 != 0 || b.View == [32]byte{} {
		b.View = x.viewDigest()
	}
	if mask&4 != 0 {
		b.Data = []byte(x.reason())
	}
	return b
}

func InventStep(x *Fuzzed) Body {
	b := own[Step](x)
	mask := x.in.byte()
	if mask&1 != 0 {
		b.Lane = x.number()
	}
	if mask&2 != 0 {
		b.Round = x.number()
	}
	if mask&4 != 0 {
		b.Part = x.number()
	}
	if mask&8 != 0 || b.Words == nil {
		b.Words = x.words(x.layoutWords())
	}
	return b
}

// sealed returns a sealed result that some member has, with changes.
func (x *Fuzzed) sealed() *Sealed {
	s := Sealed{Header: x.header(Sum), Members: []uint32{0, 1, 2, 3}, Blocks: fuzzedBlocks}
	for _, m := range x.members {
		if a := m.slot.attempts[m.slot.ballots.promised]; a != nil && a.result != nil {
			s = *a.result
		}
	}
	mask := x.in.byte()
	if mask&1 != 0 {
		s.Attempt = x.ballot()
	}
	if mask&2 != 0 {
		s.Header = x.header(Sum)
	}
	if mask&4 != 0 {
		s.Blocks = []collabdict.Block{{Len: x.in.below(5), Bound: float64(x.in.byte())}, {Len: x.in.below(9), Bound: 1}}[:x.in.below(3)]
	}
	if mask&8 != 0 {
		s.Members = x.ranks()
	}
	if mask&16 != 0 {
		s.Missing = x.missing()
	}
	if mask&32 != 0 {
		s.Commits = nil
		for range x.in.below(6) {
			s.Commits = append(s.Commits, x.digest())
		}
	}
	if mask&64 != 0 {
		s.Words = x.words(len(s.Words))
	}
	if mask&128 != 0 {
		s.Blobs = [][]byte{{}, {1}, {2}, {3}, {4}}[:x.in.below(6)]
	}
	if v := x.members[1].slot.ballots.working(); v != nil && v.amends() && x.in.below(4) > 0 {
		amended := x.members[1].sealedAmendment(v.Ballot, x.amendment())
		amended.Header = x.header(Amend)
		return amended
	}
	return &s
}

func InventSeal(x *Fuzzed) Body { return &Seal{x.sealed()} }
