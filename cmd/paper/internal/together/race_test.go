//go:build race

package together

// Under the race detector numerics take ten times as long. A study is made smaller.
const raced = true
