// Package cgau is a classifier that adapts to each member. Its layers are conditional gated
// activation units (Rieger et al. 2020, "Client adaptation improves federated learning with
// simulated non-IID clients", Eq. 1), with biases:
//
//	z = tanh(W_f x + b_f + v_f) · sigmoid(W_g x + b_g + v_g)
//
// The weights W and biases b are shared. The conditions v = (v_f, v_g) are each member's own:
// its column of the paper's V. So members whose rows look different, or whose classes mean
// different things, can still share one network.
//
//	l := cgau.NewLearner(config, cgau.Own{Rows: rows, Seed: secret})
//	_, err = collabdict.Rounds(group, l, 150, func(n int) (collabdict.Round, error) {
//		r, err := l.Round(ctx, group)
//		return collabdict.Round{Number: n, Objective: -r.Loss}, err
//	})
//	if err != nil {
//		return err
//	}
//	score, err := l.Model().Evaluate(test)
//	if err != nil {
//		return err
//	}
//	fmt.Println(score.Correct, "of", len(test.Classes), "rows have the right class")
//
// A [Learner] trains weights and conditions at once. In each round, every member makes some
// steps, and a private sum adds up the changes of W and b, weighted by rows (package
// average). A new member copies the shared parameters of another one, and [Model.Adapt] fits
// its conditions to a few rows. With [Config].Plain, the network has rectified linear units
// without conditions, the paper's baseline.
//
// # Differences from the paper
//
// In the paper's simulation V is shared too, and the column of member k moves by n_k/n of the
// change in its steps. In this package it moves by the whole change; [Config].ConditionRate
// can undo that.
//
// # Privacy
//
// No condition leaves a member. Package average explains what others learn about
// conditions: their mean by rows, [Model.MeanCondition].
//
// Invariant: members that receive the same totals have the same bits of W and b, whatever
// GOMAXPROCS and the machine are.
//
// Start reading at [NewLearner].
package cgau
