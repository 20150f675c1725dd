package main

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/node"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settingsFlags say how sums are made, protected and decided.
type settingsFlags struct {
	scheme, step, graph, protect, recovery, loneChange string
	degree, fan, chunks, threshold, quorum, colluders  int
	tolerance                                          float64
	parity, full                                       bool
}

// addPatience adds the flag --patience of commands that wait for real members.
func addPatience(cmd *cobra.Command, patience *float64) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.Float64Var(patience, "patience", 0, "continue without a member that takes `N` times its usual time (default 3)")
	})
}

// addDurability adds the flag --durability of commands that keep a record on disk.
func addDurability(cmd *cobra.Command, durability *string) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.StringVar(durability, "durability", "", "where the state of a sum under way is kept: disk (default), so that a restarted process can resume it, or memory")
	})
}

func checkDurability(durability string) error {
	switch node.Durability(durability) {
	case "", node.OnDisk, node.InMemory:
		return nil
	}
	return &usageError{fmt.Sprintf("--durability: want %s or %s, got %q", node.OnDisk, node.InMemory, durability), ""}
}

func (s *settingsFlags) add(cmd *cobra.Command) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.StringVar(&s.scheme, "scheme", string(consensus.Laplacian), "`SCHEME` of the sums: laplacian, exact or base-k")
		f.StringVar(&s.step, "step", string(session.Chebyshev), "step `RULE` of laplacian: chebyshev, optimal, metropolis or paper")
		f.StringVar(&s.graph, "graph", string(graph.HamiltonCycles), "`KIND` of graph of laplacian: hamilton-cycles, inverse-chord, random-regular, margulis, hypercube, complete or ring")
		f.IntVar(&s.degree, "degree", 4, "neighbours of a member, for hamilton-cycles and random-regular")
		f.Float64Var(&s.tolerance, "tolerance", 1e-9, "relative error of a sum of laplacian")
		f.IntVar(&s.fan, "fan", 1, "`K`, the messages that a member exchanges per step in exact and base-k")
		f.BoolVar(&s.parity, "parity", false, "two words per value in exact: sums as exact as one rounding")
		f.StringVar(&s.protect, "protect", string(chunking.Chunks), "`MODE` of protection: chunks, sessions, shamir (with base-k) or none")
		f.IntVar(&s.chunks, "chunks", 0, "`C`, the chunks that a vector is split into (default one per member up to 16 members, else 17), or the sessions (default 8)")
		f.BoolVar(&s.full, "full-chunks", false, "send chunks whole, not as seeds")
		f.IntVar(&s.threshold, "threshold", 0, "sessions of shamir that give the sum (default three quarters of them)")
		f.IntVar(&s.quorum, "quorum", 0, "`K`, the members whose votes decide a sum (default more than half)")
		f.IntVar(&s.colluders, "colluders", 0, "`T`, the members that together may learn nothing (default a third of the others)")
		f.StringVar(&s.loneChange, "on-lone-change", string(consensus.WarnOfLoneChange), "if two sums would differ by few members: warn, or wait for the missing ones")
		f.StringVar(&s.recovery, "recover", string(consensus.FromShares), "if a member is lost after the vote: rebuild its pad from shares, or wait")
	})
}

// only are the schemes that a flag says something about.
var only = map[string][]consensus.Scheme{
	"step": {consensus.Laplacian}, "graph": {consensus.Laplacian}, "degree": {consensus.Laplacian}, "tolerance": {consensus.Laplacian},
	"fan": {consensus.Exact, consensus.BaseK}, "parity": {consensus.Exact},
}

// settings returns the settings. What another scheme would need is left out of
// them; whether they fit the number of members is not known yet.
func (s *settingsFlags) settings(cmd *cobra.Command) (consensus.Settings, error) {
	c := consensus.Settings{
		Scheme: consensus.Scheme(s.scheme), Protect: chunking.Mode(s.protect), Chunks: s.chunks, Full: s.full,
		Threshold: s.threshold, Quorum: s.quorum, Colluders: s.colluders, Recover: consensus.Recovery(s.recovery), OnLoneChange: consensus.LoneChange(s.loneChange), Parity: s.parity,
	}
	if !slices.Contains([]consensus.Scheme{consensus.Laplacian, consensus.Exact, consensus.BaseK}, c.Scheme) {
		return c, &usageError{fmt.Sprintf("--scheme: want laplacian, exact or base-k, got %q", s.scheme), ""}
	}
	for _, name := range []string{"step", "graph", "degree", "tolerance", "fan", "parity"} {
		if cmd.Flags().Changed(name) && !slices.Contains(only[name], c.Scheme) {
			return c, &usageError{fmt.Sprintf("--%s: the scheme %s does not use it", name, s.scheme), fmt.Sprintf("use it with --scheme %s", only[name][0])}
		}
	}
	if c.Scheme == consensus.Laplacian {
		c.Step, c.Graph, c.Degree, c.Tolerance = session.Step(s.step), graph.Kind(s.graph), s.degree, s.tolerance
	} else {
		c.Fan = s.fan
	}
	return c, nil
}
