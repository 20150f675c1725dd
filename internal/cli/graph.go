package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/topology"
)

// graphFlags choose a topology, and what to do with it.
type graphFlags struct {
	topology.Spec
	run    bool
	values int
	seed   uint64
	svg    string
}

func (a *app) graph() *cobra.Command {
	var g graphFlags
	cmd := &cobra.Command{
		Use: "graph", Short: "Show the cost of a sum over a topology: spectrum, iterations, messages",
		Long: `graph builds the topology of a sum over --size members. It prints the smallest non-zero and the
largest eigenvalue of its Laplacian, which show how well the members are connected. From these
follow the iterations until the disagreement is --tolerance times the initial one. With --run,
it runs the sessions of all members in this process, on random vectors without masks, and
prints the measured iterations and messages.

Members average values over a graph: hamilton-cycles, inverse-chord, random-regular, margulis,
hypercube, complete or ring. A schedule gives exact sums after a fixed number of steps: base-k,
fold-in or circulant.`,
		Example: `  collabdict graph --size 31 --run
  collabdict graph --kind margulis --size 256 --step optimal --svg margulis.svg
  collabdict graph --kind fold-in --size 31 --degree 3 --run --values 1000 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.check(cmd); err != nil {
				return err
			}
			return interruptible(cmd.Context(), func() error { return a.describeGraph(g) })
		},
	}
	f, byDefault := cmd.Flags(), consensus.DefaultSettings()
	f.StringVar(&g.Kind, "kind", string(byDefault.Graph), "`KIND` of topology: "+strings.Join(topology.Kinds(), ", "))
	f.IntVar(&g.Size, "size", 0, "number `N` of members")
	f.IntVar(&g.Degree, "degree", 0, "number `D` of neighbours per member, for hamilton-cycles and random-regular (default 4); for base-k and fold-in, members heard per step (default 1)")
	f.StringVar((*string)(&g.Step), "step", string(byDefault.Step), "`RULE` of the steps on a graph: chebyshev, optimal, metropolis or paper")
	f.Float64Var(&g.Tolerance, "tolerance", byDefault.Tolerance, "`DISAGREEMENT` to reach on a graph, relative to the initial one")
	f.BoolVar(&g.run, "run", false, "run the sessions and measure")
	f.IntVar(&g.values, "values", 1, "number `M` of values per vector, for --run")
	f.Uint64Var(&g.seed, "seed", 1, "`SEED` of the vectors, for --run")
	f.StringVar(&g.svg, "svg", "", "draw the graph to an SVG `FILE`")
	a.addJSON(cmd)
	return cmd
}

// leastTolerance is a little above the rounding error.
const leastTolerance = 1e-13

// Bounds on memory; mostValues counts the values of all members together.
const (
	mostMembers = 1 << 20
	mostValues  = 1 << 26
)

// check reports flags that do not fit together.
func (g *graphFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	exact := g.Kind == topology.FoldIn || g.Kind == topology.BaseK || g.Kind == topology.Circulant
	switch {
	case !changed("size"):
		return &flagError{"size", "missing", "give the number of members"}
	case g.Size < 2 || g.Size > mostMembers:
		return &flagError{"size", fmt.Sprintf("want 2 to %d members, got %d", mostMembers, g.Size), ""}
	case changed("degree") && g.Degree < 1:
		return &flagError{"degree", fmt.Sprintf("want at least 1, got %d", g.Degree), ""}
	case !(g.Tolerance >= leastTolerance && g.Tolerance < 1):
		return &flagError{"tolerance", fmt.Sprintf("want a value from %g to below 1, got %g", leastTolerance, g.Tolerance), ""}
	case g.values < 1 || g.values > mostValues/g.Size:
		return &flagError{"values", fmt.Sprintf("want 1 to %d for %d members, got %d", mostValues/g.Size, g.Size, g.values), ""}
	}
	for _, name := range []string{"step", "tolerance", "svg"} {
		if exact && changed(name) {
			return &flagError{name, fmt.Sprintf("%s does not use it: it is a schedule of exact steps", g.Kind), "leave it out, or choose a graph"}
		}
	}
	return nil
}

func (a *app) describeGraph(g graphFlags) error {
	t, err := topology.Describe(g.Spec)
	if err != nil {
		return &usageError{err, ""}
	}
	if g.svg != "" {
		if err := files.Write(g.svg, 0o644, t.Draw); err != nil {
			return err
		}
	}
	if g.run {
		if err := t.Measure(g.values, g.seed); err != nil {
			return err
		}
	}
	return a.print(t.Report, func(w io.Writer) { graphText(w, t.Report) })
}

func graphText(w io.Writer, r topology.Report) {
	line := facts(w)
	line("topology", "%s", graphName(r))
	if r.Lambda2 > 0 {
		line("spectrum", "λ₂ %.4g, λ_max %.4g; diameter %d", r.Lambda2, r.LambdaMax, r.Diameter)
		line("predicted", "iterations %d (step %s, to a disagreement of %g)", r.Iterations, r.Step, r.Tolerance)
	} else {
		line("predicted", "rounds %d (exact)", r.Iterations)
	}
	if r.Run == nil {
		return
	}
	if r.Measured > 0 {
		line("measured", "%d", r.Measured)
	} else {
		line("measured", "not reached: rounding errors are above the tolerance")
	}
	if r.Exact {
		line("totals", "exact at every member")
	} else {
		line("totals", "largest error %.2g", r.MaxError)
	}
	line("sent", "%.1f messages and %.0f bytes per member (mean, before framing; values per vector: %d)", r.Messages, r.Bytes, r.Values)
}

func graphName(r topology.Report) string {
	name := fmt.Sprintf("%s, %d members", r.Kind, r.Size)
	if r.Vertices > 0 {
		name += fmt.Sprintf(" on %d vertices", r.Vertices)
	}
	if r.Degree > 0 {
		name += fmt.Sprintf(", degree %d", r.Degree)
	}
	return name
}
