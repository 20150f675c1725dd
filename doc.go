// Package collabdict lets participants that may not share data learn one
// anomaly-detection model together, without a coordinator.
//
// A participant runs a [Learner] on its private rows against a [Group], the
// two collectives over all members: a private Sum and a public Gather. [Train]
// is the round loop of Algorithm 1 of Idé, Phan and Raymond (2024): local
// update, consensus, optimise.
//
// The package has no network, clock or randomness in it. Package node gives a
// Group over libp2p, package netsim one in process and in virtual time. The packages
// below gmm and vae have learners, and package model the files of what was learned.
// A learner of one's own is in examples/logistic.
//
// Start reading at [Learner], [Group] and [Train].
package collabdict
