// Package participant runs one participant from end to end: it joins the others, trains, saves
// the model and the result, and leaves cleanly, or tells the others why not.
//
// Start reading at [Run].
package participant
