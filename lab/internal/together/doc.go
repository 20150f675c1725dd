// Package together measures whether participants that learn together detect faults better than
// those that learn alone. It uses the program's default settings and public data.
//
// Participants train on normal rows, and tell anomalies from normal rows among rows that nobody
// trains on. Methods of scikit-learn, run by baselines.py on the same rows, show how good
// learning alone can be. Differences have an interval over families of sets, because users
// bring other kinds of data, not other rows of these sets.
//
// Start reading at [tuning] and [aside], the families, then at the plan of [Study].
package together
