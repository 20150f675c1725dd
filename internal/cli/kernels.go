package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// checkKernels checks the processor before every command, and warns before training on one
// without FMA.
func (a *app) checkKernels(cmd *cobra.Command) error {
	if err := cpu.Check(); err != nil {
		return &usageError{err, ""}
	}
	parent := cmd.Flags().Lookup("with-parent")
	trains := slices.Contains([]string{"demo", "run", "up", "sim"}, cmd.Name())
	if cpu.IsFMASlow() && trains && (parent == nil || !parent.Changed) {
		a.note("warning: this processor has no fused multiply-add: results are the same, but training takes up to a hundred times as long")
	}
	return nil
}
