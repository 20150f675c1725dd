// Package plants generates sensor data of a group of plants, for the demonstration and for
// tests that need rows without a file.
//
// The plants share operating patterns. In each pattern, sensors vary together along a tree of
// correlations, so the pattern is a Gaussian with a sparse precision matrix. Each plant mostly
// runs under its own main pattern and sometimes under others; a pattern may be private to one
// plant. So a plant alone has few rows of some patterns, while the group has plenty of every
// shared one: learning together pays. All plants use the same units, so rows should be
// standardised by the moments of all plants; otherwise shared patterns would differ from plant
// to plant.
//
// Training rows are normal. Test rows come from another season: the same patterns, but rare
// ones more often, with labelled faults in single sensors. A fault lasts some rows: a sensor is
// stuck, drifts, has an offset, or no longer follows the others.
//
// The data follow from the [Spec] and the seed. Start reading at [Generate].
package plants
