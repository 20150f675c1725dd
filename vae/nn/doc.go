// Package nn is for the small neural networks of package vae: dense layers,
// activations and optimisers in float32, with gradients written out by hand. It
// holds no code yet.
package nn
