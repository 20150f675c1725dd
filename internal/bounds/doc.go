// Package bounds agrees on bounds that every member's statistics keep. They scale
// the random chunks that hide the statistics, so they must hold everywhere and
// should not be loose.
//
// What a member publishes of its rows for that is a power of two above their
// number and one above the root mean square of each column. In a group of more than
// 64 members nothing is published: sums of counts tell the largest. Start reading at
// [Agree].
package bounds
