// Package api is the HTTP face of a running node: its status, scoring with the
// current model, metrics and the dashboard.
//
// It reads atomic snapshots of package node and never waits for the protocol, so
// a slow reader cannot hold up a round.
package api
