// Package vae provides small dense neural networks in float32, with gradients written out by
// hand. It has layers (gated ones among them), normal distributions whose parameters are outputs
// of a network, losses, and the optimisers Adam and gradient descent with momentum.
//
// A [Network] is a chain of dense layers. A training step is:
//
//	y, err := net.Forward(x, nil)
//	if err != nil {
//		return err
//	}
//	loss, err := vae.SquaredError(d, y, want, columns) // sets d to the derivatives
//	if err != nil {
//		return err
//	}
//	fmt.Println(loss)
//	net.Backward(d, vae.ForParameters)
//	adam.Step(net.Shared.Values, net.Shared.Gradient)
//
// The example of the package trains a network that way.
//
// Everything that participants may share, weights and biases, is one vector of [Parameters],
// with the gradient in the same order. So gradients and differences can be summed directly.
// [Join] puts several networks into one vector. The conditions of gated layers, which belong
// to one participant, are another such vector.
//
// Matrices are row-major without gaps; a batch has one row per sample. Losses are sums over
// the samples of a batch, not means.
//
// Wrong shapes panic. Forward returns an error for samples that are not finite, and losses
// return one if they are not finite, before any parameter has changed.
//
// # Invariants
//
// The same seeds give the same bits, whatever GOMAXPROCS, the machine and its kernels
// (packages blas and elementwise) are. Randomness comes from a source that the caller passes.
// Buffers are reused: after the first batch of a size, a step allocates nothing except the
// goroutines for further processors. Only one goroutine may use a network at a time.
//
// Start reading at [New] and [Network.Forward].
package vae
