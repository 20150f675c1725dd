//go:build !race

package audittest

const raced = false
