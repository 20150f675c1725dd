package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/bench"
)

func (a *app) benchVAE() *cobra.Command {
	var v bench.VAE
	cmd := &cobra.Command{
		Use: "vae", Short: "Measure training steps of a variational auto-encoder on synthetic samples",
		Long: `vae trains a β-VAE of 784-512-256-2 units and back on synthetic samples. It prints the
samples per second of the best of three runs; each batch takes a forward pass, a backward
pass and a step of Adam. The environment variable COLLABDICT_CPU selects the instructions:
avx512, avx2 or portable.`,
		Example: `  collabdict bench vae --batch 64
  COLLABDICT_CPU=avx2 collabdict bench vae --batch 256 --threads 2 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case v.Batch < 1 || v.Batch > 10_000:
				return &flagError{"batch", fmt.Sprintf("want 1 to 10000, got %d", v.Batch), ""}
			case v.Threads < 1 || v.Threads > runtime.NumCPU():
				return &flagError{"threads", fmt.Sprintf("want 1 to %d (processors of this machine), got %d", runtime.NumCPU(), v.Threads), ""}
			case v.Steps < 1:
				return &flagError{"steps", fmt.Sprintf("want at least 1, got %d", v.Steps), ""}
			}
			r, err := bench.MeasureVAE(cmd.Context(), v)
			if err != nil {
				return err
			}
			return a.print(r, func(w io.Writer) {
				fmt.Fprintf(w, "instructions %s, threads %d, batch %d\n", r.Path, r.Threads, r.Batch)
				fmt.Fprintf(w, "%.0f samples per second, %.1f allocations per step, loss %.4g per sample\n", r.Rate, r.Allocations, r.Loss)
			})
		},
	}
	cmd.Flags().IntVar(&v.Batch, "batch", 64, "number `B` of samples per batch")
	cmd.Flags().IntVar(&v.Threads, "threads", 1, "number `T` of threads")
	cmd.Flags().IntVar(&v.Steps, "steps", 100, "number `S` of steps in each of three runs")
	a.addJSON(cmd)
	return cmd
}
