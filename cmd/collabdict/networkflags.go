package main

import (
	"cmp"

	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// networkFlags are the options of mtvae, bvae and cgau.
type networkFlags struct {
	networks  task.Networks
	weighting task.Weighting
	weights   string
}

func (n *networkFlags) add(cmd *cobra.Command) {
	section(cmd, ofNetworks, func(f *pflag.FlagSet) {
		f.IntVar(&n.networks.Latent, "latent", 8, "of mtvae and bvae: `D` dimensions of what the encoder makes of a row")
		f.IntSliceVar(&n.networks.Hidden, "hidden", []int{64}, "`UNITS` of hidden layers, with commas between: of mtvae of the decoder, which the encoder has in the other order; of bvae of the encoder, which the decoder has in the other order; of cgau of the classifier, of which the default is 64,64")
		f.IntVar(&n.networks.Batch, "batch", 128, "of mtvae, bvae and cgau: own `ROWS` in a step (default of bvae 64, of cgau 32)")
		f.Float64Var(&n.networks.Rate, "rate", 1e-3, "`RATE` of learning: of mtvae and bvae of Adam; of cgau of gradient descent (default of this 0.1)")
		f.Float64Var(&n.networks.Beta, "beta", 0.01, "of bvae: `BETA`, the factor of the divergence from the prior beside the squared errors of a row, whose values are from 0 to 1")
		f.IntVar(&n.networks.Epochs, "epochs", 10, "of bvae: `E` times that a member goes through its rows between two sums")
		f.StringVar(&n.networks.Condition, "condition", "", "of bvae: hidden layers with conditions that are each member's own, in no sum: cgau, the `LAYERS` of the model cgau (left out: none)")
		f.StringVar(&n.weights, "weights", string(task.FedAvg), "of bvae: what a member's `WEIGHT` in the mean follows from: fedavg, its number of rows; feddisco, also how unlike equal frequencies its labels are; latent, or how unlike the prior its encoded rows are")
		f.Float64Var(&n.weighting.Effect, "effect", 0, "`A` of --weights feddisco (default 0.5) and latent (default 0.1): a weight is (share of the rows - A*discrepancy + offset), or 0 if that is below")
		f.StringVar(&n.weighting.Offset, "offset", "", "`B`, see --effect (default of feddisco 0.1, of latent auto), or auto, the least that leaves every member a weight")
		f.BoolVar(&n.weighting.Debias, "debias", false, "of --weights latent: subtract what chance alone makes of so few rows")
		f.IntVar(&n.weighting.Every, "weigh-every", 5, "of --weights latent: weight members by the model after every `N` rounds; before the first time by their rows")
		f.BoolVar(&n.weighting.Publish, "publish-weights", false, "of bvae: show every member's weight, and discrepancy, to all; models list them")
		f.IntVar(&n.networks.Aggressive, "aggressive", 0, "of mtvae: up to `N` steps of the encoder for one of the decoder as long as it lags behind; 0 is one always")
		f.IntVar(&n.networks.Classes, "classes", 0, "of cgau, and of --weights feddisco: `N` classes, 0 to N-1; if left out one more than the largest that any member has, which a sum tells")
		f.Float64Var(&n.networks.Dropout, "dropout", 0.5, "of cgau: `PROBABILITY` that a hidden unit is left out of a step")
	})
}

// Rounds of mtvae and of cgau, and steps of mtvae in each of them.
const roundsOfNetworks, stepsOfNetworks = 150, 20

func (t *taskFlags) setNetworks(cmd *cobra.Command, k *task.Task) {
	k.Networks, k.LocalSteps = t.networks, t.localSteps
	k.Networks.Beta, k.Networks.Epochs, k.Networks.Dropout = 0, 0, 0
	k.Components, k.Tol = 0, 0
	if !cmd.Flags().Changed("rounds") {
		k.Rounds = roundsOfNetworks
	}
	if !cmd.Flags().Changed("local-steps") {
		k.LocalSteps = stepsOfNetworks
	}
}

// setCGAU has the sizes of Rieger et al. 2020, but for the rate.
func (t *taskFlags) setCGAU(cmd *cobra.Command, k *task.Task) {
	changed, n := cmd.Flags().Changed, t.networks
	k.Networks = task.Networks{Hidden: n.Hidden, Batch: n.Batch, Rate: n.Rate, Classes: n.Classes, Dropout: n.Dropout}
	k.LocalSteps, k.Components, k.Tol = t.localSteps, 0, 0
	if !changed("rounds") {
		k.Rounds = roundsOfNetworks
	}
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

// Rounds of the published β-VAE, and rows in a step.
const roundsOfBVAE, batchOfBVAE = 25, 64

func (t *taskFlags) setBVAE(cmd *cobra.Command, k *task.Task) {
	changed := cmd.Flags().Changed
	k.Networks, k.Weighting = t.networks, t.weighting
	k.Networks.Dropout = 0
	k.Components, k.Tol = 0, 0
	if !changed("rounds") {
		k.Rounds = roundsOfBVAE
	}
	if !changed("batch") {
		k.Networks.Batch = batchOfBVAE
	}
	unscaled := t.noStandardise || k.Standardise == task.None
	if !changed("normalise") && (k.PCA > 0 || !unscaled) { // to what the decoder can make
		k.Normalise = task.MinMax
	}
	w := &k.Weighting
	if w.Weights = task.Weights(t.weights); w.Weights != task.Latent && !changed("weigh-every") {
		w.Every = 0
	}
	effect, offset := 0.1, task.AutoOffset
	switch w.Weights {
	case task.FedAvg:
		return
	case task.FedDisco:
		effect, offset = 0.5, "0.1"
	}
	if !changed("effect") {
		w.Effect = effect
	}
	w.Offset = cmp.Or(w.Offset, offset)
}
