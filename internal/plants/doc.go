// Package plants makes up the sensor data of a group of plants: for the
// demonstration, and wherever rows are wanted without a file.
//
// The world is a list of operating patterns. In each the sensors vary together
// along a tree of correlations, so the pattern is a Gaussian whose precision
// matrix is sparse. Plants run under several shared patterns, each plant mostly
// under its own and only now and then under others, and a pattern may be
// private to one plant. So a plant alone has few rows of some patterns, while
// the group has plenty of every shared one: this is what learning together is
// for. Values are in the same units at every plant, so rows are to be
// standardised by the moments of all plants; by its own, the shared patterns
// would differ from plant to plant.
//
// Training rows are normal. Test rows come from another season: the same
// patterns, but the rare ones more often, with faults in single sensors put in
// and labelled. A fault lasts some rows: a sensor is stuck, drifts, is off by an
// amount, or no longer follows the others.
//
// Everything follows from the [Spec] and the seed. Start reading at [Generate].
package plants
