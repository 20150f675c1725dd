// Package config reads and writes the files that describe a consortium and a participant:
// consortium.yaml, the same for all members, and node.yaml, which names one participant's rows.
// Unknown or missing fields, and other versions, are errors that name the file.
//
// Start reading at [Consortium] and [Node].
package config
