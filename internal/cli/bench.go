package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/bench"
)

func (a *app) bench() *cobra.Command {
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure the speed of sums and training on this machine",
		Args: onlyCommands,
		RunE: func(*cobra.Command, []string) error {
			return &usageError{errors.New("bench: want the name of a benchmark, got none"), "use collabdict bench blas, bench consensus, bench em, bench glasso, bench scale, or bench vae"}
		},
	}
	cmd.AddCommand(a.benchBLAS(), a.benchEM(), a.benchConsensus(), a.benchGlasso(), a.benchScale(), a.benchVAE())
	return cmd
}

// mostNodes is the largest number of nodes of a bench: each is connected to all others.
const mostNodes = 128

func (a *app) benchConsensus() *cobra.Command {
	var f settingsFlags
	var c bench.Consensus
	cmd := &cobra.Command{
		Use: "consensus", Short: "Measure one private sum over real nodes, and vector arithmetic",
		Long: `consensus computes one private sum of synthetic vectors over real libp2p nodes in this process,
on ports of 127.0.0.1, and compares the total with the plain sum. It prints the time, and
the bytes sent and memory used per node. It also measures how fast one core expands masks
and adds vectors.`,
		Example: `  collabdict bench consensus
  collabdict bench consensus --nodes 8 --values 100000 --scheme laplacian --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if c.Settings, err = f.settings(); err != nil {
				return err
			}
			return a.measureConsensus(cmd.Context(), c)
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&c.Nodes, "nodes", 16, "number `N` of nodes")
	cmd.Flags().IntVar(&c.Values, "values", 1_000_000, "number `M` of values per vector")
	a.addJSON(cmd)
	return cmd
}

// measureConsensus checks and completes the settings of a sum, and measures it.
func (a *app) measureConsensus(ctx context.Context, c bench.Consensus) (err error) {
	switch {
	case c.Nodes < 2 || c.Nodes > mostNodes:
		return &flagError{"nodes", fmt.Sprintf("want 2 to %d, got %d", mostNodes, c.Nodes), ""}
	case c.Values < 1 || c.Values > mostValues/c.Nodes:
		return &flagError{"values", fmt.Sprintf("want 1 to %d for %d nodes, got %d", mostValues/c.Nodes, c.Nodes, c.Values), ""}
	}
	c.Settings = c.Settings.For(c.Values, c.Nodes)
	if err := c.Settings.Validate(c.Nodes); err != nil {
		return &usageError{err, ""}
	}
	if c.Dir, err = os.MkdirTemp("", "collabdict-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.Dir)
	collectOften()
	r, err := bench.MeasureConsensus(ctx, c)
	if err != nil {
		return err
	}
	return a.print(r, func(w io.Writer) { consensusText(w, r) })
}

func consensusText(w io.Writer, r *bench.ConsensusReport) {
	line := facts(w)
	for _, m := range r.Arithmetics {
		line(m.Name, "expand and add masks %.2f GB/s, add vectors %.2f GB/s, on one core", m.Mask, m.Add)
	}
	line("sum", "%.2f s: %d values over %d nodes, %s in %d rounds, protection %s", r.Seconds, r.Values, r.Nodes, r.Plan, r.Rounds, r.Protection)
	line("sent", "%.0f bytes per node in %.0f messages, %.2f times the %.0f predicted, %.2f times a ring all-reduce of %.0f", r.Bytes, r.Messages, r.PredictedRatio, r.Predicted, r.RingRatio, r.RingBytes)
	line("memory", "%.1f vectors per node on the heap (%.0f bytes)", r.Vectors, r.Memory)
	if r.Resident > 0 {
		line("", "%.1f vectors per node as the kernel counts it (%.0f bytes)", r.ResidentVectors, r.Resident)
	}
	line("total", "the same at all nodes, largest error %.1e", r.MaxError)
}
