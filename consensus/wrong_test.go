package consensus

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// A wrong is a message that no honest member sends, given to member 1 at a stage of its slot,
// and the error with which it ends the run there.
type wrong struct {
	name, stage string
	settings    []Settings // exact and floating if empty
	msg         func(n *network) (from int, m Message)
	want        string // the error
}

// but returns the honest message of a kind with a change.
func but[B any](change func(n *network, b *B)) func(n *network) (int, Message) {
	return func(n *network) (int, Message) {
		from, m, b := honest[B](n)
		change(n, b)
		return from, m
	}
}

func (c wrong) check(t *testing.T, s Settings) {
	t.Helper()
	n := at(t, s, c.stage)
	from, msg := c.msg(n)
	n.receive(1, from, msg)
	c.ended(t, n, from)
}

// ended asserts that member 1 has ended with the right error, sends the others only the reason,
// has decided nothing and does nothing more.
func (c wrong) ended(t *testing.T, n *network, from int) {
	t.Helper()
	m := n.members[1]
	err, ok := as[*MemberError](m.err)
	if !ok {
		t.Fatalf("%s, %s: ended with %v, want an error of member %d", c.stage, c.name, m.err, from)
	}
	if got := anyDigest.ReplaceAllString(err.Error(), "for DIGEST"); got != c.want || !strings.HasPrefix(got, n.names[from]+" ") || err.Member != from {
		t.Errorf("%s, %s: member %d has sent it, and the error is\n%s\nwant\n%s", c.stage, c.name, from, got, c.want)
	}
	if len(m.log) > 0 || m.State() != Failed {
		t.Errorf("%s, %s: decided %d slots, %s", c.stage, c.name, len(m.log), m.State())
	}
	left := 0
	for _, d := range n.flight {
		l, leaves := d.msg.Body.(*Leave)
		if leaves && (l.Reason != "it "+err.Reason || len(l.Blame) != 1 || int(l.Blame[0]) != from || l.Returns) {
			t.Errorf("%s, %s: the others receive %+v", c.stage, c.name, l)
		}
		if leaves {
			left++
		}
	}
	if left != 3 {
		t.Errorf("%s, %s: %d of 3 receive the reason", c.stage, c.name, left)
	}
	n.flight = nil
	before := unpeered(m.Machine)
	for _, d := range n.held {
		n.receive(1, d.from, d.msg)
	}
	if unpeered(m.Machine) != before || len(n.flight) > 0 {
		t.Errorf("%s, %s: continues after its end", c.stage, c.name)
	}
}

const (
	sameSettings = ": run the same version with the same settings everywhere"
	sameVersion  = ": run the same version everywhere"
)

var (
	onlyExact    = []Settings{exact}
	onlyFloating = []Settings{floating}
	onlyField    = []Settings{{Scheme: BaseK, Protect: chunking.Chunks}}
	wholeChunks  = Settings{Scheme: Exact, Protect: chunking.Chunks, Full: true}
	wholeField   = Settings{Scheme: BaseK, Protect: chunking.Chunks, Full: true}
	waiting      = Settings{Scheme: Exact, Protect: chunking.Chunks, Recover: Wait}
)

var wrongOpenings = []wrong{
	{"another collective", "dealt", nil, func(n *network) (int, Message) {
		return 2, Message{Body: &Blob{Header: Header{Kind: Gather, Round: 1}}}
	}, "m2 calls a gather of 0 values in round 1, this member a sum of 1 in round 1" + sameSettings},
	{
		"another round", "dealt", nil, but(func(_ *network, b *Seeds) { b.Header.Round = 7 }),
		"m0 calls a sum of 1 values in round 7, this member a sum of 1 in round 1" + sameSettings,
	},
	{
		"another length", "dealt", nil, but(func(_ *network, b *Seeds) { b.Header.Length = math.MaxUint32 }),
		"m0 calls a sum of 4294967295 values in round 1, this member a sum of 1 in round 1" + sameSettings,
	},
	{"another hash", "dealt", nil, but(func(_ *network, b *Seeds) { b.Header.Hash[31]++ }), "m0 calls with other bounds or settings" + sameSettings},
	{"another view", "dealt", nil, but(func(_ *network, b *Seeds) { b.View[0]++ }), "m0 calls in another view or on another topology" + sameSettings},
	{"no share", "dealt", nil, but(func(_ *network, b *Seeds) { b.Share = nil }), "m0 dealt its pad to other members than this member expects" + sameVersion},
	{
		"a share where nobody holds any", "dealt",
		[]Settings{waiting},
		but(func(_ *network, b *Seeds) { b.Share = &chunking.Share{X: 1} }),
		"m0 dealt its pad to other members than this member expects" + sameVersion,
	},
	{
		"a blob of another collective", "gathering", nil, but(func(_ *network, b *Blob) { b.Header.Length = 1 }),
		"m0 calls a gather of 1 values in round 0, this member a gather of 0 in round 0" + sameSettings,
	},
	{"a blob of another run", "gathering", nil, but(func(_ *network, b *Blob) { b.Header.Hash = [32]byte{} }), "m0 calls with other bounds or settings" + sameSettings},
	{"a blob of another view", "gathering", nil, but(func(_ *network, b *Blob) { b.View = [32]byte{} }), "m0 calls in another view or on another topology" + sameSettings},
	{"a sum where all gather", "gathering", nil, func(*network) (int, Message) {
		return 3, Message{Body: &Seeds{Header: Header{Kind: Sum, Round: 2, Length: 5}, Share: &chunking.Share{X: 1}}}
	}, "m3 calls a sum of 5 values in round 2, this member a gather of 0 in round 0" + sameSettings},
}

func TestWrongOpenings(t *testing.T) {
	checkWrong(t, wrongOpenings)
}

func checkWrong(t *testing.T, table []wrong) {
	t.Helper()
	for _, c := range table {
		settings := c.settings
		if settings == nil {
			settings = []Settings{exact, floating}
		}
		for _, s := range settings {
			c.check(t, s)
		}
	}
}

// Messages that come before this member's own call are compared when it calls.
func TestWrongOpeningsBeforeTheCall(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, c := range wrongOpenings {
			if c.settings != nil || strings.Contains(c.name, "share") {
				continue
			}
			n := at(t, s, c.stage)
			from, msg := c.msg(n)
			call := sumOf(1, powers(4), oneBlock)
			if c.stage == "gathering" {
				call = gatherOf(make([][]byte, 4))
			}
			fresh := at(t, s, "idle")
			fresh.receive(1, from, msg)
			if err := fresh.members[1].err; err != nil || len(fresh.flight) > 0 {
				t.Fatalf("%s: %v before the call", c.name, err)
			}
			fresh.call(1, call(1))
			fresh.drop(func(d delivery) bool { _, leaves := d.msg.Body.(*Leave); return !leaves })
			c.ended(t, fresh, from)
		}
	})
}

// A wrong chunk is detected when the last chunk has come.
func TestWrongChunks(t *testing.T) {
	for _, c := range []wrong{
		{
			"words too few", "dealt",
			[]Settings{wholeChunks},
			but(func(_ *network, b *Seeds) { b.Full = b.Full[:1] }),
			"m0 dealt an invalid chunk of 1 words, want 2" + sameVersion,
		},
		{
			"words too many", "dealt",
			[]Settings{exact, wholeChunks},
			but(func(_ *network, b *Seeds) { b.Full = make([]uint64, 1000) }),
			"m0 dealt an invalid chunk of 1000 words, want 2" + sameVersion,
		},
		{
			"no element of the field", "dealt",
			[]Settings{wholeField},
			but(func(_ *network, b *Seeds) { b.Full = []uint64{0, chunking.Prime} }),
			"m0 dealt an invalid chunk of 2 words, want 2" + sameVersion,
		},
	} {
		for _, s := range c.settings {
			n := at(t, s, c.stage)
			from, msg := c.msg(n)
			n.receive(1, from, msg)
			for _, d := range n.held {
				n.receive(1, d.from, d.msg)
			}
			c.ended(t, n, from)
		}
	}
}

func TestWrongFrames(t *testing.T) {
	words := func(words ...uint64) func(*network) (int, Message) {
		return but(func(_ *network, b *Step) { b.Words = words })
	}
	sent := func(from int, round uint32, part int, reason string) string {
		return fmt.Sprintf("m%d sent an invalid frame: session: frame of member %d, round %d, part %d: %s%s", from, from, round, part, reason, sameVersion)
	}
	const noSuch = "the round has no such frame for this member"
	lane := func(from int, lane uint32) string {
		return fmt.Sprintf("m%d sent a frame of lane %d, want one of 1%s", from, lane, sameVersion)
	}
	// Member 1 is about to hear member 0 in exact sums, and member 3 in floating point.
	checkWrong(t, []wrong{
		{"a lane too many", "session", onlyExact, but(func(_ *network, b *Step) { b.Lane = 1 }), lane(0, 1)},
		{"a lane of nonsense", "session", onlyFloating, but(func(_ *network, b *Step) { b.Lane = math.MaxUint32 }), lane(3, math.MaxUint32)},
		{"a round too many", "session", onlyExact, but(func(_ *network, b *Step) { b.Round = 2 }), sent(0, 2, 0, "want a round below 2")},
		{"a round of nonsense", "session", onlyFloating, but(func(_ *network, b *Step) { b.Round = math.MaxUint32 }), sent(3, math.MaxUint32, 0, "want a round below 1")},
		{"another part", "session", onlyExact, but(func(_ *network, b *Step) { b.Part = 3 }), sent(0, 0, 3, noSuch)},
		{"a part of nonsense", "session", onlyFloating, but(func(_ *network, b *Step) { b.Part = math.MaxUint32 }), sent(3, 0, math.MaxUint32, noSuch)},
		{"another member's", "session", onlyExact, func(n *network) (int, Message) {
			_, m, _ := honest[Step](n)
			return 2, m
		}, sent(2, 0, 0, noSuch)},
		{"no words", "session", onlyExact, words(), sent(0, 0, 0, "0 words, want 2")},
		{"no words", "session", onlyFloating, words(), sent(3, 0, 0, "0 words, want 1")},
		{"words too many", "session", onlyField, words(1, 2, 3), sent(0, 0, 0, "3 words, want 2")},
		{"not a number", "session", onlyFloating, words(math.Float64bits(math.NaN())), sent(3, 0, 0, "a value is not finite")},
		{"infinite", "session", onlyFloating, words(math.Float64bits(math.Inf(-1))), sent(3, 0, 0, "a value is not finite")},
		{"no element of the field", "session", onlyField, words(0, math.MaxUint64), sent(0, 0, 0, "want words below 2^61-1")},
	})
}

// In floating point all adopt the sealer's result if it is close to their own.
func TestWrongSeals(t *testing.T) {
	sealed := func(change func(s *Sealed)) func(*network) (int, Message) {
		return but(func(_ *network, b *Seal) {
			s := *b.Sealed
			change(&s)
			b.Sealed = &s
		})
	}
	words := func(values ...float64) func(*network) (int, Message) {
		return sealed(func(s *Sealed) {
			own := math.Float64frombits(s.Words[0])
			s.Words = nil
			for _, v := range values {
				s.Words = append(s.Words, math.Float64bits(own+v))
			}
		})
	}
	far := func(by string) string {
		return "m0 passed on a total whose value 0 is too far from this member's own: they differ by " + by + ", want at most 4.08e-05" + sameVersion
	}
	other := "m0 passed on a total of another call, view or set of pads than this member's" + sameVersion
	checkWrong(t, []wrong{
		{"values too few", "sealing", onlyFloating, words(), "m0 passed on a total of 0 values, want 1" + sameVersion},
		{"values too many", "sealing", onlyFloating, words(0, 0), "m0 passed on a total of 2 values, want 1" + sameVersion},
		{"another total", "sealing", onlyFloating, words(1), far("1")},
		{"not a number", "sealing", onlyFloating, words(math.NaN()), far("NaN")},
		{"infinite", "sealing", onlyFloating, words(math.Inf(1)), far("+Inf")},
		{"another header", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Header.Round++ }), other},
		{"other blocks", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Blocks = []collabdict.Block{{Len: 1, Bound: 1}} }), other},
		{"other members", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Members, s.Commits = []uint32{0, 1, 2}, s.Commits[:3] }), other},
		{"other missing members", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Missing = []Missing{{3, "lost"}} }), other},
		{"other pads", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Commits = append([][32]byte{{1}}, s.Commits[1:]...) }), other},
		{"no pads", "sealing", onlyFloating, sealed(func(s *Sealed) { s.Commits = nil }), other},
	})
}

// No honest member votes for two values, or without having opened the same results as the
// others.
func TestWrongVotes(t *testing.T) {
	vote := func(from int, v Value, chain byte) func(*network) (int, Message) {
		return func(n *network) (int, Message) {
			b := n.vote(from, 0, v)
			b.Chain[0] = chain
			return from, Message{Body: b}
		}
	}
	other := Value{Digest: [32]byte{1}}
	const opened = " has opened another result than this member in an earlier collective" + sameVersion
	checkWrong(t, []wrong{
		{"for another result", "voted", onlyExact, vote(2, other, 0), "m2 voted for DIGEST, this member for DIGEST" + sameVersion},
		{"for another result", "voted", onlyFloating, vote(0, other, 0), "m0 voted for DIGEST, this member for DIGEST" + sameVersion},
		{"on another chain", "voted", nil, vote(0, other, 1), "m0" + opened},
		{"on another chain, in the session", "session", nil, vote(2, Value{}, 1), "m2" + opened},
		{"on another chain, before the call", "idle", nil, vote(3, Value{}, 1), "m3" + opened},
	})
}
