package main

import (
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

// networkFlags are the options of mtvae and cgau.
type networkFlags struct{ networks task.Networks }

func (n *networkFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&n.networks.Latent, "latent", 8, "of mtvae: `D` dimensions of what the encoder makes of a row")
	f.IntSliceVar(&n.networks.Hidden, "hidden", []int{64}, "`UNITS` of hidden layers, with commas between: of mtvae of the decoder, which the encoder has in the other order; of cgau of the classifier (default of this 64,64)")
	f.IntVar(&n.networks.Batch, "batch", 128, "of mtvae and cgau: own `ROWS` in a step (default of cgau 32)")
	f.Float64Var(&n.networks.Rate, "rate", 1e-3, "`RATE` of learning: of mtvae of Adam; of cgau of gradient descent (default of this 0.1)")
	f.IntVar(&n.networks.Aggressive, "aggressive", 0, "of mtvae: up to `N` steps of the encoder for one of the decoder as long as it lags behind; 0 is one always")
	f.IntVar(&n.networks.Classes, "classes", 0, "of cgau: `N` classes, 0 to N-1; if left out one more than the largest that any member has, which a sum tells")
	f.Float64Var(&n.networks.Dropout, "dropout", 0.5, "of cgau: `PROBABILITY` that a hidden unit is left out of a step")
}

// Rounds of networks, and steps in each of them.
const roundsOfNetworks, stepsOfNetworks = 150, 20

func (t *taskFlags) setNetworks(cmd *cobra.Command, k *task.Task) {
	changed := cmd.Flags().Changed
	k.Networks, k.LocalSteps = t.networks, t.localSteps
	k.Components, k.Tol = 0, 0
	if !changed("rounds") {
		k.Rounds = roundsOfNetworks
	}
	if !changed("local-steps") {
		k.LocalSteps = stepsOfNetworks
	}
	if k.Model != model.CGAU {
		k.Networks.Dropout = 0
		return
	}
	k.Networks.Latent = 0
	if !changed("local-steps") {
		k.LocalSteps = 10
	}
	if !changed("hidden") {
		k.Networks.Hidden = []int{64, 64}
	}
	if !changed("batch") {
		k.Networks.Batch = 32
	}
	if !changed("rate") {
		k.Networks.Rate = 0.1
	}
}
