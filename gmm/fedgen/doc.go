// Package fedgen learns one Gaussian mixture in a single round, after Zhang
// Pettersson et al. 2025 (FedGenGMM): every participant fits a mixture to its
// own rows and publishes it, and every member fits the shared mixture to the
// same synthetic rows drawn from the published ones ([Learn]). Beyond the paper,
// components may be put together pair by pair ([Moments.Reduce]), in place of
// synthetic rows or as a better start of the fit to them ([ReducedStart]).
//
// Mixtures are published in the clear: there is no sum that hides one.
//
// Invariants: no clock, file, socket or global random source; what is gathered is
// taken in the order of ranks; synthetic rows, the fit to them and reduced mixtures have
// the same bits on every machine.
//
// Start reading at [Local] and [Aggregate], which [Learn] joins by a Gather;
// [Algorithm] is how the program uses them.
package fedgen
