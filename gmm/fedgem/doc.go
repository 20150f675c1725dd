// Package fedgem clusters the rows of all participants when nobody knows the number
// of clusters (FedGEM: Ibrahim, Gebraeel and Xie, ICLR 2026), without a server.
//
// Each participant fits a mixture to its own rows. In every round it makes a step of
// EM and publishes its centres, each with a region: all places to which the centre
// may be moved without its likelihood falling below what it was. Regions that meet
// are of one super-cluster, whose mean draws all its centres, each within its own
// region. In the end each region is what the sampling error of its centre leaves
// open, and the super-clusters are the result: K̂, their centres, and to which of
// them each row belongs.
//
// Where the paper has a server, every member makes the same step from the same
// gathered blobs, with operations that are rounded alike on every machine. Centres,
// numbers of rows and spreads are published: this shows more than a sum does. So, unless
// the paper's form is asked for, they are published once, in the end, and none of few
// rows ([Config].MinRows): participants make their rounds by themselves. Rows never
// leave, and [Noise] limits what a published centre says of one row.
//
// Start reading at [Train]; region.go and clusters.go are the step that all share,
// and [Algorithm] is how the program uses them.
package fedgem
