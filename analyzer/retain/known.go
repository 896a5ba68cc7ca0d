package retain

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

// keeps maps a method to the index of the first argument that its receiver
// retains. It also retains all following arguments.
var keeps = map[string]int{
	"(*sync.Map).Store":                        1,
	"(*sync.Map).Swap":                         1,
	"(*sync.Map).LoadOrStore":                  1,
	"(*sync.Map).CompareAndSwap":               1,
	"(*sync/atomic.Value).Store":               1,
	"(*sync/atomic.Value).Swap":                1,
	"(*sync/atomic.Value).CompareAndSwap":      2,
	"(*sync/atomic.Pointer[T]).Store":          1,
	"(*sync/atomic.Pointer[T]).Swap":           1,
	"(*sync/atomic.Pointer[T]).CompareAndSwap": 2,
	"(*container/list.List).PushBack":          1,
	"(*container/list.List).PushFront":         1,
}

// wraps maps a function to the index of the first argument that its result
// contains. It also contains all following arguments.
var wraps = map[string]int{
	"(*net/http.Request).MultipartReader": 0,
	"(*net/http.Request).WithContext":     0, // a shallow copy: it shares the path values
	"net/http.MaxBytesReader":             1,
	"net/http.NewResponseController":      0,
	"bufio.NewWriter":                     0,
	"bufio.NewWriterSize":                 0,
	"compress/flate.NewWriter":            0,
	"compress/gzip.NewWriter":             0,
	"compress/gzip.NewWriterLevel":        0,
	"encoding/csv.NewWriter":              0,
	"encoding/json.NewEncoder":            0,
	"encoding/xml.NewEncoder":             0,
	"io.MultiWriter":                      0,
	"net/http.NewRequest":                 2,
	"net/http.NewRequestWithContext":      3,
	"context.WithValue":                   0,
	"context.WithCancel":                  0,
	"context.WithTimeout":                 0,
	"context.WithDeadline":                0,
	"context.WithoutCancel":               0,
	"io.LimitReader":                      0,
	"io.MultiReader":                      0,
	"io.NopCloser":                        0,
	"io.TeeReader":                        0,
	"bufio.NewReader":                     0,
	"bufio.NewReaderSize":                 0,
	"bufio.NewScanner":                    0,
	"bufio.NewReadWriter":                 0,
	"compress/flate.NewReader":            0,
	"compress/gzip.NewReader":             0,
	"compress/zlib.NewReader":             0,
	"encoding/csv.NewReader":              0,
	"encoding/gob.NewDecoder":             0,
	"encoding/json.NewDecoder":            0,
	"encoding/xml.NewDecoder":             0,
	"mime/multipart.NewReader":            0,
	"sync.OnceFunc":                       0,
	"sync.OnceValue":                      0,
}

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

// removes lists the methods that remove a value that a method in keeps stored
// in the receiver.
var removes = map[string]bool{
	"(*sync.Map).Delete":            true,
	"(*sync.Map).LoadAndDelete":     true,
	"(*sync.Map).CompareAndDelete":  true,
	"(*container/list.List).Remove": true,
}
