package printable

// maxError is the maximum length of the text of an Error, in bytes.
const maxError = 1 << 10

// Error returns an error that wraps err. Its text is that of err, quoted by
// Quote, and truncated if it is long. From Go 1.27, the errors of encoding/json
// contain the names of members, of any length.
func Error(err error) error { return wrapped{err} }

type wrapped struct{ err error }

func (w wrapped) Error() string {
	return Excerpt(w.err.Error(), maxError)
}

func (w wrapped) Unwrap() error { return w.err }
