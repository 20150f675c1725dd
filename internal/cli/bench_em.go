package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/bench"
)

// mostBenched is the largest number of values in the rows of bench em: 8 GB.
const mostBenched = 1 << 30

func (a *app) benchEM() *cobra.Command {
	var e bench.EM
	var form string
	cmd := &cobra.Command{
		Use: "em", Short: "Measure iterations of EM on synthetic rows",
		Long: `em fits a mixture to synthetic rows by expectation maximisation. It prints the time of the
fastest iteration, and of its E-step (the pass over the rows) and M-step. The environment
variable COLLABDICT_CPU selects the instructions: avx512, avx2 or portable.`,
		Example: `  collabdict bench em --n 200000 --m 10 --k 15
  COLLABDICT_CPU=avx2 collabdict bench em --cov diag --threads 2 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if e.Form, err = formOf(form); err != nil {
				return err
			}
			switch {
			case e.M < 1 || e.M > 1000:
				return &flagError{"m", fmt.Sprintf("want 1 to 1000, got %d", e.M), ""}
			case e.N < 1 || e.N > mostBenched/e.M:
				return &flagError{"n", fmt.Sprintf("want 1 to %d for %d variables, got %d", mostBenched/e.M, e.M, e.N), ""}
			case e.K < 1 || e.K > e.N:
				return &flagError{"k", fmt.Sprintf("want 1 to %d (number of rows), got %d", e.N, e.K), ""}
			case e.Threads < 1 || e.Threads > runtime.NumCPU():
				return &flagError{"threads", fmt.Sprintf("want 1 to %d (processors of this machine), got %d", runtime.NumCPU(), e.Threads), ""}
			case e.Reps < 1:
				return &flagError{"reps", fmt.Sprintf("want at least 1, got %d", e.Reps), ""}
			}
			r, err := bench.MeasureEM(cmd.Context(), e)
			if err != nil {
				return err
			}
			return a.print(r, func(w io.Writer) {
				fmt.Fprintf(w, "instructions %s, threads %d, at most %.1f GFLOP/s in float64\n", r.Path, r.Threads, r.Peak)
				fmt.Fprintf(w, "iteration %.2f ms: E-step %.2f ms at %.1f GFLOP/s, M-step %.2f ms\n", r.Iteration, r.EStep, r.Rate, r.MStep)
			})
		},
	}
	cmd.Flags().IntVar(&e.N, "n", 100_000, "number `N` of rows")
	cmd.Flags().IntVar(&e.M, "m", 38, "number `M` of variables")
	cmd.Flags().IntVar(&e.K, "k", 10, "number `K` of components")
	cmd.Flags().StringVar(&form, "cov", gmm.Full.String(), "`FORM` of the covariance matrices: full, diag or spherical")
	cmd.Flags().IntVar(&e.Threads, "threads", 1, "number `T` of threads")
	cmd.Flags().IntVar(&e.Reps, "reps", 5, "number `R` of iterations; the fastest counts")
	a.addJSON(cmd)
	return cmd
}

func formOf(name string) (gmm.Covariance, error) {
	for _, form := range []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical} {
		if form.String() == name {
			return form, nil
		}
	}
	return 0, &flagError{"cov", fmt.Sprintf("want full, diag or spherical, got %q", name), ""}
}
