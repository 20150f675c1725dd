// Package bounds agrees on bounds that every member's statistics keep. They scale
// the random chunks that hide the statistics, so they must hold everywhere and
// should not be loose.
//
// What a member publishes of its rows for that is a power of two above their
// number and one above the root mean square of each column. Start reading at
// [Agree].
package bounds
