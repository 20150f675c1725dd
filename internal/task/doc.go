// Package task is what the participants of a run agree to learn, and one
// participant's part in it: standardise, train against a group, and put the
// model together. It knows models and data, and nothing of networks; a node and a
// simulation run the same code. What is particular to a kind of model stands behind
// kind and learner.
//
// Start reading at [Task] and [Task.Train].
package task
