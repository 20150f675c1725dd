// Package nn has small dense neural networks in float32, with gradients written out by
// hand: layers, gated ones among them, normal distributions whose parameters are outputs
// of a network, losses, and the optimisers Adam and gradient descent with momentum.
//
// A [Network] is a chain of dense layers. All that participants may share of it, weights
// and biases, is one vector of [Parameters], with the gradient in the same order, so that
// gradients and differences can be summed as they are; [Join] puts several networks into
// one vector. What is a participant's own, the conditions of gated layers, is another
// such vector. A step is
//
//	y, err := net.Forward(x, nil)
//	loss, err := nn.SquaredError(d, y, x)
//	net.Backward(d, nn.ForParameters)
//	adam.Step(net.Shared.Values, net.Shared.Gradient)
//
// Matrices are in rows without gaps: a batch has a row for each sample. Losses are sums
// over the samples of a batch, not means.
//
// Invariant: results have the same bits for the same seeds whatever GOMAXPROCS is, and
// whatever machine and kernels (packages blas and elementwise). Randomness comes in as a
// source. Buffers are kept from call to call: a step allocates nothing once a batch of
// that size has been seen, but for the goroutines that a second processor is given. A
// network is for one goroutine at a time.
//
// Wrong shapes panic. Samples that are not finite are an error of Forward, and a loss that
// is not finite is one of the losses, before any parameter has changed.
//
// Start reading at [New] and [Network.Forward].
package nn
