package retain

import "regexp"

// The check assumes that functions of other packages use their arguments only
// during the call, except the functions below. The keys are types.Func.FullName
// of the generic origin. Argument 0 of a method is the receiver.

// runsLater maps a function to the index of an argument that it runs in another
// goroutine.
var runsLater = map[string]int{
	"time.AfterFunc":                                 1,
	"context.AfterFunc":                              1,
	"(*sync.WaitGroup).Go":                           1,
	"(*net/http.Server).RegisterOnShutdown":          1,
	"(*golang.org/x/sync/errgroup.Group).Go":         1,
	"(*golang.org/x/sync/errgroup.Group).TryGo":      1,
	"(*golang.org/x/sync/singleflight.Group).DoChan": 2,
}

// keeps matches the methods whose receiver retains their arguments.
var keeps = regexp.MustCompile(`^\(\*(sync\.Map|sync/atomic\.Value|sync/atomic\.Pointer\[T\])\)\.(Store|Swap|LoadOrStore|CompareAndSwap)$` +
	`|^\(\*container/list\.List\)\.(Push|Insert)`)

// wraps matches the functions whose first result contains their arguments.
var wraps = regexp.MustCompile(`^\(\*net/http\.Request\)\.(MultipartReader|WithContext)$` + // WithContext is a shallow copy
	`|^net/http\.(MaxBytesReader|New(Request|RequestWithContext|ResponseController))$` +
	`|^(bufio|compress/\w+|encoding/\w+|log|mime/multipart|text/tabwriter)\.New` +
	`|^io\.(\w+Reader|MultiWriter|NopCloser)$` +
	`|^context\.With|^sync\.Once(Func|Values?)$` +
	`|^(slices|maps)\.(All|Values|Backward|Chunk)$|^iter\.Pull`)

// inSlice lists the functions whose result shares memory with the first
// argument.
var inSlice = map[string]bool{"slices.Insert": true, "slices.Grow": true, "slices.Clip": true, "slices.Delete": true, "slices.Compact": true}

// copiesSlices lists the functions that copy the elements of their arguments to
// the result.
var copiesSlices = map[string]bool{"slices.Clone": true, "slices.Concat": true, "maps.Clone": true}

// waits lists the methods that wait for the goroutines of their receiver, or
// prevent it from starting one.
var waits = map[string]bool{
	"(*sync.WaitGroup).Wait":                   true,
	"(*golang.org/x/sync/errgroup.Group).Wait": true,
	"(*time.Timer).Stop":                       true,
}

// removes lists the methods that remove a value that a method of keeps stored
// in the receiver.
var removes = map[string]bool{
	"(*sync.Map).Delete":            true,
	"(*sync.Map).LoadAndDelete":     true,
	"(*sync.Map).CompareAndDelete":  true,
	"(*container/list.List).Remove": true,
}
