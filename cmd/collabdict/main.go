// Command collabdict is a participant of a consortium whose members learn one
// anomaly-detection model together without showing each other their data, and
// the tools around it. Run it without arguments for its commands.
package main

import "os"

func main() { os.Exit(Main()) }
