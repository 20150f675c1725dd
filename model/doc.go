// Package model reads and writes the model of a participant, model.npz, and scores rows
// by it. A file is a zip of NumPy arrays that numpy.load reads, and of manifest.json, which
// says what they mean. Which arrays there are, the algorithm says: see [algorithm.Model].
// Two more, shift (M) and scale (M), bring rows to the coordinates trained on,
// z = (x - shift) / scale. A model of rows along R principal axes has centre (M) and axes
// (R, M) besides: its coordinates are (z - centre) axesᵀ.
//
// The part of a model that is the participant's own is in a file beside it, own.npz
// ([Model.WriteOwn]). Files hold no times: the same training gives the same bytes.
//
// [Read] and [ReadFile] return a [Model], which scores rows in the units of the data
// ([Model.ScoreRows]) and ranks columns ([Model.ExplainRows]). A program that has trained
// by itself makes one with [New].
//
// Start reading at [Model], [Model.Write] and [Read].
package model
