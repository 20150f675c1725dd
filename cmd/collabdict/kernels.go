package main

import (
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/cpu"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// All that gonum computes with matrices goes by our kernels, in every process of the
// program, so that members that compute from the same total go on with the same bits.
func init() {
	blas64.Use(blas.Implementation{})
	blas32.Use(blas.Implementation{})
	lapack64.Use(lapack.Implementation{})
}

// checkKernels is run before every command.
func (a *app) checkKernels(cmd *cobra.Command) error {
	if err := cpu.Check(); err != nil {
		return &usageError{err.Error(), ""}
	}
	if parent := cmd.Flags().Lookup("with-parent"); cpu.IsFMASlow() && (parent == nil || !parent.Changed) {
		a.warnSlow(cmd.Name())
	}
	return nil
}

// warnSlow tells those who are about to train on a processor without FMA.
func (a *app) warnSlow(command string) {
	switch command {
	case "demo", "run", "up", "sim":
		a.note("warning: this processor has no fused multiply-add; it is emulated, with the same results, and training takes up to a hundred times as long")
	}
}
