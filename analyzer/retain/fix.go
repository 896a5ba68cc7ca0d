package retain

import "golang.org/x/tools/go/analysis"

func (c *checker) fixes(f *finding) []analysis.SuggestedFix { return nil }
