package cli

import (
	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// checkKernels checks the processor before every command.
func (a *app) checkKernels(cmd *cobra.Command) error {
	if err := cpu.Check(); err != nil {
		return &usageError{err.Error(), ""}
	}
	if parent := cmd.Flags().Lookup("with-parent"); cpu.IsFMASlow() && (parent == nil || !parent.Changed) {
		a.warnSlow(cmd.Name())
	}
	return nil
}

// warnSlow warns before training on a processor without FMA.
func (a *app) warnSlow(command string) {
	switch command {
	case "demo", "run", "up", "sim":
		a.note("warning: this processor has no fused multiply-add: results are the same, but training takes up to a hundred times as long")
	}
}
