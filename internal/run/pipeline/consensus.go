package pipeline

import (
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/option"
)

// ConsensusOptions returns the options of sums, bound to s: schemes, protection and quorum. It
// cannot check them against the number of members.
func ConsensusOptions(s *consensus.Settings) option.Table {
	laplacian := func() bool { return s.Scheme == consensus.Laplacian || s.Scheme == consensus.Auto }
	return option.Table{
		option.String(&s.Scheme, "scheme", consensus.Auto, "`SCHEME` of sums: laplacian (averages with neighbours on a graph), exact or base-k (whole numbers, few steps), or auto (laplacian for vectors of up to 10,000 values, else exact)", option.OneOf(consensus.Auto, consensus.Laplacian, consensus.Exact, consensus.BaseK)),
		option.String(&s.Step, "step", session.Chebyshev, "`RULE` of the steps of averages: chebyshev, optimal, metropolis or paper", option.OneOf(session.Chebyshev, session.Optimal, session.Metropolis, session.Paper)).
			Needs("--scheme laplacian", laplacian).ForExperts(),
		option.String(&s.Graph, "graph", graph.HamiltonCycles, "`KIND` of graph: hamilton-cycles, inverse-chord, random-regular, margulis, hypercube, complete or ring",
			option.OneOf(graph.HamiltonCycles, graph.InverseChord, graph.RandomRegular, graph.Margulis, graph.Hypercube, graph.Complete, graph.Ring)).
			Needs("--scheme laplacian", laplacian).ForExperts(),
		option.Int(&s.Degree, "degree", 4, "number `D` of neighbours per member, for hamilton-cycles and random-regular").
			Needs("--scheme laplacian", laplacian).ForExperts(),
		option.Float(&s.Tolerance, "tolerance", 1e-9, "relative `ERROR` of a sum").
			Needs("--scheme laplacian", laplacian).ForExperts(),
		option.Int(&s.Fan, "fan", 1, "number `K` of messages that each member exchanges per step").
			Needs("--scheme exact or base-k", func() bool { return !laplacian() }).ForExperts(),
		option.Bool(&s.Parity, "parity", false, "send two words per value, so that a sum has the error of one rounding").
			Needs("--scheme exact", func() bool { return s.Scheme == consensus.Exact }).ForExperts(),
		option.String(&s.Protect, "protect", chunking.Chunks, "`MODE` of protection: chunks, sessions, shamir (with base-k) or none", option.OneOf(chunking.Chunks, chunking.Sessions, chunking.Shamir, chunking.None)),
		option.Int(&s.Chunks, "chunks", 0, "number `C` of chunks per vector (default one per member up to 16 members, otherwise 17), or of sessions (default 8)"),
		option.Bool(&s.Full, "full-chunks", false, "send chunks whole, not as seeds").ForExperts(),
		option.Int(&s.Threshold, "threshold", 0, "number `N` of shamir sessions that suffice for the sum (default three quarters)").ForExperts(),
		option.Int(&s.Quorum, "quorum", 0, "number `K` of votes that decide a sum (default more than half of the members)"),
		option.Int(&s.Colluders, "colluders", 0, "number `T` of members that may pool what they see and still learn nothing (default a third of the others)"),
		option.Bool(&s.AcceptLoneChange, "accept-lone-change", false, "let fewer than T+2 members join a running total at a time: all members then learn the number, mean and covariance of their rows").ForExperts(),
		option.String(&s.OnLoneReturn, "on-lone-return", consensus.AllowLoneReturn, "`ACTION` if fewer than T+2 members return to a running total: allow it, or hold their new statistics back until more return", option.OneOf(consensus.AllowLoneReturn, consensus.HoldLoneReturn)).ForExperts(),
		option.String(&s.Recover, "recover", consensus.FromShares, "`ACTION` if a member is lost after the vote: rebuild its pad from shares, or wait for it", option.OneOf(consensus.FromShares, consensus.Wait)).ForExperts(),
	}
}
