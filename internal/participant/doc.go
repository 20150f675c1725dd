// Package participant plays one participant's part from end to end: join the
// others, train, save the model and the result, and leave in good order, or tell
// the others why not.
//
// Start reading at [Run].
package participant
