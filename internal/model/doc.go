// Package model is the model file of a participant, model.npz: NumPy arrays that
// numpy.load reads, and manifest.json in the same zip, which says what they mean.
//
// Arrays of kind "ggm": means (K, M), precisions (K, M, M), weights (K), in the
// trained coordinates z = (x - shift) / scale; shift (M) and scale (M). Models of rows
// along R principal axes have centre (M) and axes (R, M) besides: in place of M of z
// there are R coordinates (z - centre) axesᵀ. Kinds "mtvae" and "bvae" have encoder.0.weight
// and so on in place of the first three, and "cgau" classifier.0.weight and so on. What such
// a classifier has of the participant's own is in a file beside it, own.npz ([WriteOwn]).
// Files have no times in them: the same training gives the same bytes.
//
// Start reading at [Model], [Write] and [Read].
package model
