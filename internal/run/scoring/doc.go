// Package scoring scores rows by a trained model, says which sensors make a row an anomaly, and joins
// anomalies to events. Whatever reads rows for that, a command or a server, does it here.
//
// Start reading at [Scorer], which scores blocks of rows, and [Finder], which finds events in them.
package scoring
