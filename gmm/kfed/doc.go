// Package kfed is federated clustering in one round, k-FED of Dennis, Li and Smith
// 2021: every participant clusters its own rows ([Local]) and publishes the centres,
// and every member puts them together by one pass of farthest-first and one step of
// Lloyd's algorithm ([Merge]). It wants clusters that are well separated, and
// participants that hold few of them each: √k or less in theory.
//
// Centres are published in the clear: each is the mean of some of a participant's rows,
// of [Config.MinRows] at least. No clock, file, socket or global random source; merged centres have the
// same bits on every machine.
//
// Start reading at [Cluster].
package kfed
