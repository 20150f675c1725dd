// Package web guards HTTP servers of this program: who may send requests, from where, and how
// large, slow and many these may be. It knows nothing of what is served.
//
// Start reading at [Guard].
package web
