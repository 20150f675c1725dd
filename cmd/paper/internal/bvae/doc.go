// Package bvae runs the experiments again of Page 2024, "Addressing statistical
// heterogeneity through generative similarity-based comparison in federated learning":
// β-VAEs of images, trained by members with different classes, whose models count less
// the farther their encoded images are from the prior.
//
// The weights of a run are those by the model that the same members have trained by
// FedAvg before. Where the thesis says nothing its program is followed: squared errors are
// summed over a batch, the moments of Adam begin anew every round, the images are
// normalised though the decoder ends in a sigmoid, and discrepancies are those of encoded
// draws. Two things differ: all images of a member are trained on, where that program keeps
// a fifth of them, and distances to the prior are exact.
//
// Start reading at [Study] and sets.go.
package bvae
