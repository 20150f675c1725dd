// Package fedgen learns one Gaussian mixture in a single round, after FedGenGMM of Zhang
// Pettersson et al. (2025). Every participant fits a mixture to its own rows and publishes
// it. Every member then draws the same synthetic rows from the published mixtures, and fits
// the shared mixture to them.
//
// [Local] and [Exchange] do all of that:
//
//	config := fedgen.Config{
//		Local:  fedgen.Range{Min: 1, Max: 4}, // components of each participant's mixture
//		Global: fedgen.Range{Min: 1, Max: 6}, // components of the shared one
//		Reduce: true,
//	}
//	own, _, err := fedgen.Local(rows, config)
//	if err != nil {
//		return err
//	}
//	result, err := fedgen.Exchange(ctx, group, own, config)
//	if err != nil {
//		return err
//	}
//	fmt.Println(result.Mixture.Score(row)) // how unusual the row is
//
// Beyond the paper, components can be merged pair by pair, as a better start of the fit
// ([Config].Reduce).
//
// # Privacy
//
// Mixtures are published in the clear: no sum hides them. Components of few rows are merged
// into others first ([Config].MinRows), and [Private] makes the published mixture
// differentially private.
//
// # Invariants
//
// The package uses no clock, file, socket or global random source. Gathered mixtures are
// used in the order of ranks. Synthetic rows, the fit to them and reduced mixtures have the
// same bits on every machine.
//
// Start reading at [Local] and [Aggregate], which [Exchange] joins by one Gather. [Algorithm]
// connects them to the program.
package fedgen
