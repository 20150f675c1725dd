// Package bvae repeats the experiments of Page 2024, "Addressing statistical heterogeneity
// through generative similarity-based comparison in federated learning". Members with different
// classes train β-VAEs of images. A member's model has less weight the farther its encoded
// images are from the prior.
//
// The weights of a run come from the model that the same members have trained by FedAvg before.
// Where the thesis leaves details open, the package follows its program. Squared errors are
// summed over a batch. The moments of Adam start again every round. Images are normalised,
// though the decoder ends in a sigmoid. Discrepancies are those of encoded draws. Two things
// differ: all images of a member are used for training, where that program keeps a fifth of
// them, and distances to the prior are exact.
//
// Start reading at [Study] and sets.go.
package bvae
