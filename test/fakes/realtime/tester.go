package realtime

// Tester takes the faults of the host that the service finds: a test, or a
// program that shows the service at work.
type Tester interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(end func())
}
