package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/bench"
	"github.com/collabdict/collabdict/internal/plots"
)

func (a *app) benchScale() *cobra.Command {
	var f settingsFlags
	var sizes []int
	var s bench.Scale
	var dir string
	cmd := &cobra.Command{
		Use: "scale", Short: "Measure a private sum in growing simulated consortia",
		Long: `scale computes private sums of synthetic vectors in simulated consortia of several sizes. It
prints the cost of one sum per participant: messages, bytes, processor time and memory.
Only the network is simulated. The table is CSV.`,
		Example: `  collabdict bench scale --sizes 64,256,1024 --values 331`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := f.settings()
			if err != nil {
				return err
			}
			switch {
			case len(sizes) == 0 || slices.Min(sizes) < 2 || slices.Max(sizes) > mostSimulated:
				return &flagError{"sizes", fmt.Sprintf("want numbers of 2 to %d, got %v", mostSimulated, sizes), ""}
			case s.Values < 1 || s.Values > mostValues/slices.Max(sizes):
				return &flagError{"values", fmt.Sprintf("want 1 to %d for %d participants, got %d", mostValues/slices.Max(sizes), slices.Max(sizes), s.Values), ""}
			case s.Sums < 1:
				return &flagError{"sums", fmt.Sprintf("want at least 1, got %d", s.Sums), ""}
			}
			var all []*bench.ScaleReport
			collectForMany(0)
			for _, size := range sizes {
				s.Settings = settings.For(s.Values, size)
				if err := s.Settings.Validate(size); err != nil {
					return &usageError{err, ""}
				}
				a.note("%d participants", size)
				s.Participants = size
				r, err := bench.MeasureScale(cmd.Context(), s)
				if err != nil {
					return err
				}
				all = append(all, r)
			}
			if dir != "" {
				if err := plots.WriteScale(dir, costsOf(all), consensus.SmallRoster+1); err != nil {
					return err
				}
			}
			return a.print(all, scaleTable(all))
		},
	}
	f.add(cmd)
	cmd.Flags().IntSliceVar(&sizes, "sizes", []int{16, 64, 256, 1024, 4096}, "numbers `S` of participants, separated by commas")
	cmd.Flags().IntVar(&s.Values, "values", 331, "number `M` of values per vector")
	cmd.Flags().IntVar(&s.Sums, "sums", 4, "number `N` of sums per consortium")
	cmd.Flags().StringVar(&dir, "plots", "", "draw the bytes per sum as SVG and PNG in `FOLDER`")
	a.addJSON(cmd)
	return cmd
}

func costsOf(all []*bench.ScaleReport) (costs []plots.Cost) {
	for _, r := range all {
		costs = append(costs, plots.Cost{Participants: r.Participants, Bytes: r.Bytes})
	}
	return costs
}

// mostSimulated is the largest number of participants that bench scale simulates.
const mostSimulated = 1 << 16

func scaleTable(all []*bench.ScaleReport) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprintln(w, "participants,sums,rounds,messages,bytes,cpu_ms,memory_bytes,virtual_seconds")
		for _, r := range all {
			fmt.Fprintf(w, "%d,%d,%d,%.1f,%.0f,%.3f,%.0f,%.4f\n", r.Participants, r.Sums, r.Rounds, r.Messages, r.Bytes, r.CPU, r.Memory, r.Virtual)
		}
	}
}
