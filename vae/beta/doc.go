// Package beta is the β-VAE that members train together by averaging their models, with
// weights that take into account how unlike all others' a member's data are (Page 2024,
// "Addressing statistical heterogeneity through generative similarity-based comparison in
// federated learning").
//
// A round is some epochs at each member, from the parameters that all of them hold, and a
// private sum of what these have changed, times the member's weight. Weights are shares
// of the rows (FedAvg), or less the more the member's labels are unlike equal frequencies
// (FedDisco), or its encoded rows are unlike the prior: those of a model that was trained
// before, as in the thesis, or those of the model that is being trained, again every few
// rounds, which its last section proposes.
//
// Nobody learns what another member's epochs have changed, nor its rows, weight or
// discrepancy, unless these two are published ([Weighting.Publish]). What all learn
// are the new parameters, the mean loss, and of how many members the largest change of a
// matrix, or the loss, times the weight, is between which powers of two. A member whose weight is 0
// has nothing to train but conditions: without these, who sees how soon it calls for the
// sum can tell.
//
// # Conditions
//
// With [CGAU] as [Config.Condition], hidden layers of the encoder and the decoder are gated
// units with conditions (package conditioning), which each member trains along with weights
// and biases, and which leave it in no sum. All learn the mean of all members' conditions, by
// weight. Rows are encoded, for weights too, and decoded at the own conditions.
//
// A member's model is then [Model.Parameters], everybody's, and [Model.Conditions], its own:
// what is kept of it has both, what is shown to others the former alone. So has [State]; and a
// pretrained model is in [Weighting.Pretrained] and [Own.Pretrained]. A new member takes the
// parameters from another, and [Model.Adapt] fits its conditions to rows of its own, without
// labels and without anybody else.
//
// Invariant: parameters have the same bits at all members, whatever machine and GOMAXPROCS.
// Start reading at [Learner].
package beta
