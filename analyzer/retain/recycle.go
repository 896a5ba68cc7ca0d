package retain

// recycle is the flag -retain.recycle.
var recycle bool

func init() {
	Analyzer.Flags.BoolVar(&recycle, "recycle", false, "check for engine.Server.Recycle in every package, not only where it is set")
}
