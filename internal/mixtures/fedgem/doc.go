// Package fedgem clusters the rows of all participants when nobody knows the number of
// clusters, after FedGEM of Ibrahim, Gebraeel and Xie (ICLR 2026), without a server.
//
// Each participant fits a mixture to its own rows. In every round it makes an EM step and
// publishes its centres, each with a region: all places to which the centre may move without
// making its likelihood fall. Regions that meet belong to one super-cluster. Its mean pulls
// all its centres, each within its own region. In the last merge, each region is as large as
// the sampling error of its centre, and the super-clusters are the result: their number,
// their centres, and the cluster of each row.
//
//	result, err := fedgem.Learn(ctx, group, rows, fedgem.Config{Seed: 1})
//	if err != nil {
//		return err
//	}
//	fmt.Println(len(result.Clusters)) // the clusters of all members, the same at each
//	fmt.Println(result.Labels(rows))  // the cluster of each own row
//
// [Config].Final sets the rule of the last merge: [ChiSquare], which needs no tuning, or
// [Factor], the paper's rule, for which [ChooseFactor] finds the factor.
//
// # Privacy
//
// In place of the paper's server, every member makes the same step from the same gathered
// messages. Rows never leave a participant, but centres, numbers of rows and spreads are
// published, which reveals more than a sum. Therefore, unless the paper's form is asked for
// ([Config].MinRows of 1), they are published only once, in the last merge, and never for
// clusters of few rows. Until then participants make their rounds alone. [Noise] limits what
// a published centre reveals about one row.
//
// # Invariants
//
// Members that gather the same messages compute the same clusters: all operations of the
// shared step are rounded alike on every machine.
//
// Start reading at [Learn]. region.go and clusters.go have the step that all members share,
// and [Algorithm] connects it to the program.
package fedgem
