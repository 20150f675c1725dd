package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/bench"
)

func (a *app) benchBLAS() *cobra.Command {
	var threads int
	cmd := &cobra.Command{
		Use: "blas", Short: "Measure matrix products against gonum and the peak of the processor",
		Long: `blas measures matrix products by this program and by gonum, in 10^9 multiplications and
additions per second. Each thread computes products of its own; rates are totals of all
threads. The environment variable COLLABDICT_CPU selects the instructions: avx512, avx2 or
portable.`,
		Example: `  collabdict bench blas --json
  COLLABDICT_CPU=avx2 collabdict bench blas`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if threads < 1 || threads > runtime.NumCPU() {
				return &flagError{"threads", fmt.Sprintf("want 1 to %d (processors of this machine), got %d", runtime.NumCPU(), threads), ""}
			}
			r, err := bench.MeasureBLAS(cmd.Context(), threads)
			if err != nil {
				return err
			}
			return a.print(r, func(w io.Writer) { blasText(w, r) })
		},
	}
	cmd.Flags().IntVar(&threads, "threads", 1, "number `N` of threads")
	a.addJSON(cmd)
	return cmd
}

func blasText(w io.Writer, r *bench.BLASReport) {
	fmt.Fprintf(w, "instructions %s, threads %d, at most %.1f GFLOP/s in float64\n", r.Path, r.Threads, r.Peak)
	for _, line := range []struct {
		name               string
		here, gonum, ratio float64
	}{
		{"dgemm 512x512x512", r.Dgemm, r.Gonum.Dgemm, r.Ratio.Dgemm},
		{"  A transposed", r.DgemmTransposed, r.Gonum.DgemmTransposed, r.Ratio.DgemmTransposed},
		{"sgemm 512x512x512", r.Sgemm, r.Gonum.Sgemm, r.Ratio.Sgemm},
		{"  A transposed", r.SgemmTransposed, r.Gonum.SgemmTransposed, r.Ratio.SgemmTransposed},
		{"dsyrk 4096x64", r.Dsyrk, r.Gonum.Dsyrk, r.Ratio.Dsyrk},
	} {
		fmt.Fprintf(w, "%-18s %6.1f GFLOP/s, gonum %5.1f, ratio %4.1f\n", line.name, line.here, line.gonum, line.ratio)
	}
}
