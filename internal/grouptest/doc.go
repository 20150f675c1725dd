// Package grouptest has what tests of learners share that train in a group by rounds: members
// in lock step or over the protocol, groups that note the data that leaves a member, and groups
// whose sums do not wait for a member.
//
// Start reading at [Train].
package grouptest
