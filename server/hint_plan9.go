package server

// listenHint has nothing to add: the errors of Plan 9 are plain text.
func listenHint(error) string { return "" }
