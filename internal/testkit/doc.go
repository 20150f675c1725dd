// Package testkit decides for tests whether they run, and on what: under the race detector, with the
// tests that take long, with data that is not in the repository, and with which random draws. It makes
// rows, and compares numbers. Its folders have helpers that need packages of this module.
//
// Property tests of a package that imports it draw the same values in every run, so that they fail for
// a change and never by chance. With COLLABDICT_SEEDS=new, each run has draws of its own; make fuzz sets
// it.
//
// Start reading at [LongOnly] and [SkipRaced].
package testkit
