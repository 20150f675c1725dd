// Package beta is a β-VAE that members train together by averaging their models. The weights
// of the average can depend on how much a member's data differ from all others' (Page 2024,
// "Addressing statistical heterogeneity through generative similarity-based comparison in
// federated learning").
//
//	l := beta.NewLearner(beta.Config{Inputs: 3, Hidden: []int{8}, Latent: 1}, beta.Own{Rows: rows, Seed: secret})
//	if err := l.Start(ctx, group); err != nil {
//		return err
//	}
//	_, err = collabdict.Rounds(group, l, 25, func(n int) (collabdict.Round, error) {
//		r, err := l.Round(ctx, group)
//		return collabdict.Round{Number: n, Objective: -r.Loss}, err
//	})
//	if err != nil {
//		return err
//	}
//	return l.Model().Score(gmm.Matrix(x), func(s beta.Scores) { fmt.Println(s.Loss) })
//
// In each round, every member starts from the shared parameters and trains for some epochs. A
// private sum then adds up the changes, each times the member's weight. By default, weights
// are the members' shares of all rows (FedAvg). With a [Measure], a member has less weight
//
//   - the more its labels differ from equal frequencies (FedDisco), or
//   - the more its encoded rows differ from the prior. A model that was trained before encodes
//     them, as in the thesis, or the current model every few rounds, which its last section
//     proposes.
//
// # Privacy
//
// Nobody learns another member's changes or rows. Nobody learns its weight or discrepancy,
// unless both are published ([Weighting].Publish). All members learn the new parameters and
// the mean loss. For each matrix, they learn how many members have a largest weighted change
// between two powers of two; likewise for the weighted loss. A member of weight 0 trains
// nothing but conditions. Without conditions, others can recognise it by how soon it calls
// for the sum.
//
// # Conditions
//
// With [Config].Conditioned, hidden layers of the encoder and the decoder are gated
// units with conditions (package average). Each member trains its conditions along with
// weights and biases, and they are in no sum. All members learn the weighted mean of all
// members' conditions. Rows are encoded, also for weights, and decoded at the member's own
// conditions.
//
// A member's model then consists of [Model.Parameters], which are shared, and
// [Model.Conditions], which are its own. Keep both, and show only the former. [State] has
// both, too; [Weighting].Pretrained and [Own].Pretrained hold those of a pretrained model. A
// new member copies the parameters of another one. [Model.Adapt] then fits its conditions to
// its rows, without labels and without other members.
//
// Invariant: parameters have the same bits at all members, whatever the machine and
// GOMAXPROCS are.
//
// Start reading at [Learner].
package beta
