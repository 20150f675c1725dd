package wire

import (
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// rosterSize is the number of members of the runs for which messages are drawn.
const rosterSize = 9

func digests() *rapid.Generator[[32]byte] {
	return rapid.Custom(func(t *rapid.T) [32]byte {
		return [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	})
}

// list draws a list that is nil when empty, as it is after decoding.
func list[T any](t *rapid.T, of *rapid.Generator[T], most int) []T {
	if l := rapid.SliceOfN(of, 0, most).Draw(t, "list"); len(l) > 0 {
		return l
	}
	return nil
}

func ranks() *rapid.Generator[uint32] { return rapid.Uint32Range(0, rosterSize-1) }

// members draws a set of members in rank order.
func members(t *rapid.T) []uint32 {
	m := list(t, ranks(), rosterSize)
	slices.Sort(m)
	return slices.Compact(m)
}

func headers(kind consensus.Kind) *rapid.Generator[consensus.Header] {
	return rapid.Custom(func(t *rapid.T) consensus.Header {
		return consensus.Header{
			Kind: kind, Round: rapid.Uint32().Draw(t, "round"), Length: rapid.Uint32().Draw(t, "length"),
			Hash: digests().Draw(t, "hash"), Parameters: rapid.OneOf(rapid.Just([32]byte{}), digests()).Draw(t, "parameters"),
		}
	})
}

func kinds() *rapid.Generator[consensus.Kind] {
	return rapid.SampledFrom([]consensus.Kind{consensus.Sum, consensus.Gather})
}

func missings() *rapid.Generator[consensus.Missing] {
	return rapid.Custom(func(t *rapid.T) consensus.Missing {
		return consensus.Missing{Member: ranks().Draw(t, "member"), Reason: rapid.StringN(0, 60, MaxText).Draw(t, "reason")}
	})
}

func values() *rapid.Generator[consensus.Value] {
	return rapid.Custom(func(t *rapid.T) consensus.Value {
		return consensus.Value{Attempt: rapid.Uint32().Draw(t, "attempt"), Digest: digests().Draw(t, "digest")}
	})
}

func shares() *rapid.Generator[chunking.Share] {
	return rapid.Custom(func(t *rapid.T) chunking.Share {
		return chunking.Share{X: rapid.ByteRange(1, 255).Draw(t, "x"), Y: digests().Draw(t, "y")}
	})
}

func signatures(t *rapid.T) []byte { return list(t, rapid.Byte(), 64) }

func promises() *rapid.Generator[consensus.Promise] {
	return rapid.Custom(func(t *rapid.T) consensus.Promise {
		p := consensus.Promise{
			Member: ranks().Draw(t, "member"), Joins: rapid.Bool().Draw(t, "joins"),
			Without: members(t), Chain: digests().Draw(t, "chain"), Signature: signatures(t),
		}
		if rapid.Bool().Draw(t, "voted") {
			p.Vote = &consensus.Vote{Ballot: rapid.Uint32().Draw(t, "ballot"), Value: values().Draw(t, "value")}
		}
		return p
	})
}

func certificates() *rapid.Generator[*consensus.Certificate] {
	return rapid.Custom(func(t *rapid.T) *consensus.Certificate {
		return &consensus.Certificate{
			Ballot: rapid.Uint32().Draw(t, "ballot"), Value: values().Draw(t, "value"), Chain: digests().Draw(t, "chain"),
			Votes: list(t, rapid.Custom(func(t *rapid.T) consensus.SignedVote {
				return consensus.SignedVote{Member: ranks().Draw(t, "member"), Signature: signatures(t)}
			}), rosterSize),
		}
	})
}

func finite() *rapid.Generator[float64] { return rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64) }

// blobs draws one blob per member; an empty one is not nil.
func blobs(t *rapid.T, n int) [][]byte {
	if n == 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 20), n, n).Draw(t, "blobs")
}

func sealed(t *rapid.T) *consensus.Sealed {
	kind := kinds().Draw(t, "kind")
	s := &consensus.Sealed{
		Attempt: rapid.Uint32().Draw(t, "attempt"), Header: headers(kind).Draw(t, "header"),
		Members: members(t), Missing: list(t, missings(), 5),
	}
	n := len(s.Members)
	if kind == consensus.Gather {
		s.Blobs = blobs(t, n)
		return s
	}
	s.Blocks = list(t, rapid.Custom(func(t *rapid.T) collabdict.Block {
		return collabdict.Block{Len: rapid.IntRange(0, 1000).Draw(t, "len"), Bound: finite().Draw(t, "bound")}
	}), 5)
	s.Words = list(t, rapid.Uint64(), 200)
	if n > 0 && rapid.Bool().Draw(t, "sealed") {
		s.Commits = rapid.SliceOfN(digests(), n, n).Draw(t, "commits")
	}
	return s
}

func decisions() *rapid.Generator[*consensus.Decision] {
	return rapid.Custom(func(t *rapid.T) *consensus.Decision {
		d := &consensus.Decision{
			Slot: rapid.Uint64().Draw(t, "slot"), Kind: kinds().Draw(t, "kind"), Round: rapid.Uint32().Draw(t, "round"),
			Attempt: rapid.Uint32().Draw(t, "attempt"), Members: members(t), Missing: list(t, missings(), 5),
			Digest: digests().Draw(t, "digest"), Chain: digests().Draw(t, "chain"),
		}
		if rapid.Bool().Draw(t, "certified") {
			d.Certificate = certificates().Draw(t, "certificate")
		}
		if d.Kind == consensus.Sum {
			d.Total = list(t, finite(), 200)
			return d
		}
		d.Blobs = make([][]byte, rosterSize)
		for i, b := range blobs(t, len(d.Members)) {
			d.Blobs[d.Members[i]] = b
		}
		return d
	})
}

func costs() *rapid.Generator[consensus.Cost] {
	return rapid.Custom(func(t *rapid.T) consensus.Cost {
		return consensus.Cost{
			Ballot: rapid.Uint32().Draw(t, "ballot"), Lost: list(t, ranks(), 4), Rounds: rapid.IntRange(0, 1<<20).Draw(t, "rounds"),
			Difference: finite().Draw(t, "difference"),
			Began:      time.Duration(rapid.Int64().Draw(t, "began")), Ended: time.Duration(rapid.Int64().Draw(t, "ended")),
		}
	})
}

// bodies draw every kind of body.
var bodies = []func(t *rapid.T) consensus.Body{
	func(t *rapid.T) consensus.Body {
		s := &consensus.Seeds{
			Header: headers(consensus.Sum).Draw(t, "header"), View: digests().Draw(t, "view"),
			Full: list(t, rapid.Uint64(), 200), Commit: digests().Draw(t, "commit"),
		}
		if rapid.Bool().Draw(t, "chunk") {
			s.Chunk = rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
		}
		if rapid.Bool().Draw(t, "share") {
			share := shares().Draw(t, "share")
			s.Share = &share
		}
		return s
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Step{
			Lane: rapid.Uint32().Draw(t, "lane"), Round: rapid.Uint32().Draw(t, "round"), Part: rapid.Uint32().Draw(t, "part"),
			Words: list(t, rapid.Uint64(), 200),
		}
	},
	func(t *rapid.T) consensus.Body { return &consensus.Seal{Sealed: sealed(t)} },
	func(t *rapid.T) consensus.Body {
		return &consensus.Blob{Header: headers(consensus.Gather).Draw(t, "header"), View: digests().Draw(t, "view"), Data: list(t, rapid.Byte(), 50)}
	},
	func(t *rapid.T) consensus.Body {
		d := decisions().Draw(t, "decision")
		d.Certificate = certificates().Draw(t, "certificate")
		return &consensus.Decided{Decision: d, Next: certificates().Draw(t, "next")}
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Heartbeat{
			State:    consensus.State(rapid.IntRange(int(consensus.Idle), int(consensus.Failed)).Draw(t, "state")),
			Promised: rapid.Uint32().Draw(t, "promised"), Viewed: rapid.Uint32().Draw(t, "viewed"), Round: rapid.Uint32().Draw(t, "round"),
			Behind: rapid.Bool().Draw(t, "behind"), Stuck: rapid.Bool().Draw(t, "stuck"), Ask: rapid.Uint32Range(0, rosterSize).Draw(t, "ask"),
			Waiting: list(t, ranks(), rosterSize), Suspects: list(t, ranks(), rosterSize), Heard: rapid.Uint32().Draw(t, "heard"),
		}
	},
	func(*rapid.T) consensus.Body { return &consensus.Prepare{} },
	func(t *rapid.T) consensus.Body { p := promises().Draw(t, "promise"); return &p },
	func(t *rapid.T) consensus.Body { return &consensus.Busy{Working: rapid.Uint32().Draw(t, "working")} },
	func(t *rapid.T) consensus.Body {
		v := &consensus.View{
			Ballot: rapid.Uint32().Draw(t, "ballot"), Members: members(t), Missing: list(t, missings(), 5),
			Promises: list(t, promises(), rosterSize),
		}
		if rapid.Bool().Draw(t, "finish") {
			value := values().Draw(t, "value")
			v.Finish = &value
		}
		return v
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Done{Value: values().Draw(t, "value"), Chain: digests().Draw(t, "chain"), Signature: signatures(t)}
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Commit{Certificate: certificates().Draw(t, "certificate")}
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Pads{Pads: list(t, rapid.Custom(func(t *rapid.T) consensus.Pad {
			return consensus.Pad{Member: ranks().Draw(t, "member"), Seed: digests().Draw(t, "seed")}
		}), rosterSize)}
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Shares{Shares: list(t, rapid.Custom(func(t *rapid.T) consensus.PadShare {
			return consensus.PadShare{Member: ranks().Draw(t, "member"), Share: shares().Draw(t, "share")}
		}), rosterSize)}
	},
	func(t *rapid.T) consensus.Body {
		r := &consensus.Reopen{Epoch: rapid.Uint32Range(1, 1<<30).Draw(t, "epoch")}
		by := ranks().Draw(t, "by")
		for _, lost := range members(t) {
			if lost != by {
				r.Lost = append(r.Lost, consensus.Substitute{Member: lost, By: by})
			}
		}
		return r
	},
	func(t *rapid.T) consensus.Body {
		return &consensus.Opened{Words: rapid.SliceOfN(rapid.Uint64(), 1, 300).Draw(t, "words")}
	},
	func(t *rapid.T) consensus.Body {
		l := &consensus.Leave{Reason: rapid.StringN(0, 60, MaxText).Draw(t, "reason"), Blame: list(t, ranks(), rosterSize), Returns: rapid.Bool().Draw(t, "returns")}
		for range 2 * rapid.IntRange(0, 1).Draw(t, "pairs of votes") {
			l.Votes = append(l.Votes, consensus.CastVote{
				Member: ranks().Draw(t, "member"), Slot: rapid.Uint64().Draw(t, "slot"), Vote: consensus.Vote{Ballot: rapid.Uint32().Draw(t, "ballot"), Value: values().Draw(t, "value")},
				Chain: digests().Draw(t, "chain"), Signature: signatures(t),
			})
		}
		return l
	},
}

// messages draws messages with one kind of body.
func messages(body func(t *rapid.T) consensus.Body) *rapid.Generator[consensus.Message] {
	return rapid.Custom(func(t *rapid.T) consensus.Message {
		m := consensus.Message{Slot: rapid.Uint64().Draw(t, "slot"), Ballot: rapid.Uint32().Draw(t, "ballot"), Body: body(t)}
		switch b := m.Body.(type) {
		case *consensus.Seal:
			m.Ballot = b.Sealed.Attempt
		case *consensus.View:
			m.Ballot = b.Ballot
		case *consensus.Decided:
			m.Slot = b.Decision.Slot
		}
		return m
	})
}
