// Package grouptest is what tests of learners share that train in a group by rounds: members
// in lock step or over the protocol, and groups that note what leaves a member, or whose
// sums are made without waiting for one.
//
// Start reading at [Train].
package grouptest
