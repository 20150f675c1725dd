// Package together measures whether learning together finds faults better than learning
// alone, with the program's default settings, on public data.
//
// Participants train on normal rows and tell anomalies from others among rows that nobody
// trains on. Methods of scikit-learn, run by baselines.py on the same rows, say how good
// learning alone can be. Differences have an interval over families of sets, as it is
// another kind of data that a user brings, not other rows of these.
//
// Start reading at [tuning] and [aside], the families, then at the plan of [Study].
package together
