// Package dem is distributed expectation maximisation of one Gaussian mixture: each
// round sums the statistics of all participants' rows and takes the step of EM on
// the total ([Learner]). The sums are exact, so it is EM on all rows in one place but for
// rounding. It refines the mixture that package fedgen learns in one round, and is
// the baseline of Zhang Pettersson et al. 2025, with their three starts: centres
// spread over the range of the columns ([Spread]), a few rows that are shared
// ([SharedRows], for simulations), and federated clustering (package kfed).
//
// No clock, file, socket or global random source. The step has the same bits on
// machines of one architecture, whatever GOMAXPROCS is.
//
// Start reading at [Learner]; [Algorithm] is how the program uses it.
package dem
