// Package grouptest has the common parts of tests of learners that train in a group by rounds.
// Members run in lock step or over the protocol. Some groups note the data that leaves a member,
// and others have sums that do not wait for a member.
//
// Start reading at [Train].
package grouptest
