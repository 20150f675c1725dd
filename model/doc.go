// Package model reads and writes a participant's model, model.npz, and scores rows with it.
//
// A program reads the file that a participant has saved, scores rows in the units of the data,
// and explains the scores:
//
//	m, err := model.ReadFile("plant-a/model.npz")
//	if err != nil {
//		return err
//	}
//	scores, err := m.ScoreRows(gmm.Matrix(rows)) // one score per row, in nats
//	if err != nil {
//		return err
//	}
//	why, err := m.ExplainRows(rows) // the part of each column in each score
//	if err != nil {
//		return err
//	}
//	for i, score := range scores {
//		if score > m.Threshold() {
//			fmt.Println(i, score, m.Manifest.Columns, why.Parts.RawRowView(i))
//		}
//	}
//
// A [Model] consists of what was learned and a [Manifest], which describes where it came from. A
// program that trains a model itself makes a Model with [New] and writes it with [Save].
//
// A file is a zip of NumPy arrays, which numpy.load reads, and of manifest.json, which describes
// them. The algorithm determines the arrays: see [algorithm.Model]. Two more, shift (M) and scale
// (M), convert rows to the coordinates trained on: z = (x - shift) / scale. A model of rows along
// R principal axes also has centre (M) and axes (R, M); its coordinates are (z - centre) axesᵀ.
//
// Two files beside the model's belong to the participant alone: own.npz with its private
// parameters ([Model.WriteOwn]), and local.npz with its local part ([WriteLocalFile]).
//
// Invariants:
//
//   - Files hold no times: the same training gives the same bytes.
//   - A file appears complete or not at all.
//   - A model file holds nothing of the private parameters or of the local part.
//
// Start reading at [Model], [Model.Write] and [Read].
package model
