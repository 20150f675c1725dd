// Package kfed clusters the rows of all participants in one round, by k-FED of Dennis, Li and
// Smith (2021). Every participant clusters its own rows ([Local]) and publishes the centres.
// Every member merges them ([Merge]), by one farthest-first pass and one step of Lloyd's
// algorithm.
//
// [Cluster] does all of that:
//
//	centres, few, err := kfed.Cluster(ctx, group, rows, kfed.Config{Local: 2, Clusters: 4}, src)
//	if err != nil {
//		return err
//	}
//	fmt.Println(mat.Formatted(centres)) // 4 rows, the same at all members
//	fmt.Println(few)                    // number of own clusters that were too small to be shown
//
// It suits clusters that are well separated, and participants that have few of them each: in
// theory √k or less.
//
// Centres are published in the clear: each is the mean of at least [Config].MinRows of a
// participant's rows.
//
// The package uses no clock, file, socket or global random source. Merged centres have the
// same bits on every machine.
//
// Start reading at [Cluster].
package kfed
