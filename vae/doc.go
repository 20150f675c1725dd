// Package vae is the parent of neural networks that participants train together. It has no
// code of its own:
//
//   - Package multitask is the multi-task variational auto-encoder of Idé, Phan and Raymond
//     (2024). Participants share the decoder; each has its own encoder.
//   - Package beta is a β-VAE, which members train by averaging their models. Members whose
//     data differ from the others' can get less weight (Page 2024).
//   - Package cgau is a classifier that adapts to each member by private conditions (Rieger et
//     al. 2020).
//   - Package nn has the networks, losses and optimisers that these three use.
//
// In each of the first three, Kind connects the algorithm to the program, and a Learner trains
// it over a group:
//
//	l, err := multitask.NewLearner(gmm.Matrix(rows), multitask.Config{Latent: 8, Hidden: []int{64}, LocalSteps: 20}, seed)
//	if err != nil {
//		return err
//	}
//	if _, err := collabdict.Train(ctx, group, l, collabdict.Options{Rounds: 150}); err != nil {
//		return err
//	}
//	fmt.Println(l.TotalRows(), l.Model().Latent())
//
// The packages use no clock, file, socket or global random source, and results have the same
// bits whatever GOMAXPROCS is.
//
// Start reading at package multitask, whose example trains a model.
package vae
