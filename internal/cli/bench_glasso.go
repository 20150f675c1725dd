package cli

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/bench"
	"github.com/collabdict/collabdict/internal/data/dataset"
)

func (a *app) benchGlasso() *cobra.Command {
	var g bench.Glasso
	cmd := &cobra.Command{
		Use: "glasso FILE RHO", Short: "Measure the graphical lasso of a covariance matrix",
		Long: `glasso solves the graphical lasso of the covariance matrix in FILE (CSV without a header,
plain or gzipped) with the penalty RHO on all elements. It prints the best time of several
runs from scratch, the objective, and a bound on its distance from the maximum. Connected
blocks of variables are spread over the threads.`,
		Example: `  collabdict bench glasso covariance.csv.gz 0.1 --reps 5 --json`,
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			g.Penalty, err = strconv.ParseFloat(args[1], 64)
			switch {
			case err != nil || !(g.Penalty > 0) || math.IsInf(g.Penalty, 1):
				return &usageError{fmt.Errorf("RHO: want a finite number above 0, got %q", args[1]), ""}
			case g.Reps < 1:
				return &flagError{"reps", fmt.Sprintf("want at least 1, got %d", g.Reps), ""}
			case g.Threads < 1 || g.Threads > runtime.NumCPU():
				return &flagError{"threads", fmt.Sprintf("want 1 to %d (processors of this machine), got %d", runtime.NumCPU(), g.Threads), ""}
			}
			if g.S, err = dataset.LoadSymmetric(args[0]); err != nil {
				return err
			}
			r, err := bench.MeasureGlasso(cmd.Context(), g)
			if err != nil {
				return err
			}
			return a.print(r, func(w io.Writer) {
				fmt.Fprintf(w, "%d variables, penalty %g, threads %d: %.4g s in %d steps\n", r.Size, r.Penalty, r.Threads, r.Seconds, r.Steps)
				fmt.Fprintf(w, "objective %.10g, at most %.2g below its maximum; residual %.2g; %.2f %% of the elements are not 0\n", r.Objective, r.Gap, r.Residual, 100*r.Nonzero)
			})
		},
	}
	cmd.Flags().IntVar(&g.Reps, "reps", 3, "solve it `N` times; the fastest counts")
	cmd.Flags().IntVar(&g.Threads, "threads", 1, "number `N` of threads")
	a.addJSON(cmd)
	return cmd
}
