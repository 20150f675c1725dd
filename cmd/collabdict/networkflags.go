package main

import (
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

// networkFlags are the options of mtvae.
type networkFlags struct{ networks task.Networks }

func (n *networkFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&n.networks.Latent, "latent", 8, "of mtvae: `D` dimensions of what the encoder makes of a row")
	f.IntSliceVar(&n.networks.Hidden, "hidden", []int{64}, "of mtvae: `UNITS` of the decoder's hidden layers, with commas between; the encoder has them in the other order")
	f.IntVar(&n.networks.Batch, "batch", 128, "of mtvae: own `ROWS` in a step")
	f.Float64Var(&n.networks.Rate, "rate", 1e-3, "of mtvae: `RATE` of learning, of Adam")
	f.IntVar(&n.networks.Aggressive, "aggressive", 0, "of mtvae: up to `N` steps of the encoder for one of the decoder as long as it lags behind; 0 is one always")
}

// Rounds of mtvae, and steps in each of them.
const roundsOfNetworks, stepsOfNetworks = 150, 20

func (t *taskFlags) setNetworks(cmd *cobra.Command, k *task.Task) {
	k.Networks, k.LocalSteps = t.networks, t.localSteps
	k.Components, k.Tol = 0, 0
	if !cmd.Flags().Changed("rounds") {
		k.Rounds = roundsOfNetworks
	}
	if !cmd.Flags().Changed("local-steps") {
		k.LocalSteps = stepsOfNetworks
	}
}
