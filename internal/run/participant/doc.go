// Package participant runs one participant from end to end: it joins the others, trains, saves
// the model and the result, and leaves cleanly. If it cannot, the others receive the reason.
//
// Start reading at [Run].
package participant
