// Package config is the files that describe a consortium and a participant:
// consortium.yaml, the same for everybody, and node.yaml, which says where one
// participant's rows are. Fields that are unknown, missing or of another version
// are errors that name the file.
//
// Start reading at [Consortium] and [Node].
package config
