package wrapped

import (
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Go 1.26 copies a closure when it inlines the function around it, and names the
// copy after the functions that it was inlined into (Go issue 60324). Their
// package is that of the outermost one:
//
//	func routes() { m.Use(auth.RequireLogin("admin")) }
//	=> main.routes.RequireLogin.func1, instead of auth.RequireLogin.func1
//
// Go 1.27 keeps the name. Go 1.26 has no name at all for a closure of a generic
// function in a generic function.
var clones = strings.HasPrefix(runtime.Version(), "go1.26")

// funcName returns the name of a function, in which that of a copied closure
// doesn't depend on what was inlined.
func funcName(f reflect.Value) string {
	// FuncForPC would return a function that is inlined where f begins.
	frames := runtime.CallersFrames([]uintptr{f.Pointer() + 1})
	frame, more := frames.Next()
	for more {
		frame, more = frames.Next()
	}
	if !clones {
		return frame.Function
	}
	return declared(frame.Function, frame.File)
}

// literal matches what the compiler calls a function literal in a function.
var literal = regexp.MustCompile(`^(?:func|gowrap|deferwrap)?\d+(?:-range\d+)?$`)

// mainPath is the import path of package main, if known.
var mainPath = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Path
	}
	return ""
})

// declared returns the name that a closure would have if nothing were inlined,
// except for its numbers. If it comes from another package, that is its directory.
// file is where the closure is written.
func declared(name, file string) string {
	at := strings.LastIndexByte(name, '/') + 1
	pkg, rest, _ := strings.Cut(name[at:], ".")
	pkg = name[:at] + pkg
	words := strings.Split(strings.ReplaceAll(rest, "[...]", "[]"), ".")
	n := len(words)
	for n > 0 && literal.MatchString(words[n-1]) {
		n--
	}
	if n < 2 || n == len(words) {
		return name // not a closure, or only one function around it
	}
	begin := n - 1
	if strings.HasPrefix(words[begin-1], "(*") {
		begin--
	}
	if begin == 0 || words[begin] == "" {
		return name
	}
	if dir := base(filepath.ToSlash(filepath.Dir(file))); dir != base(pkg) && !(pkg == "main" && dir == base(mainPath())) && exported(words[:n]) {
		pkg = dir
	}
	words[n-1], _, _ = strings.Cut(words[n-1], "-range")
	return pkg + "." + strings.ReplaceAll(strings.Join(words[begin:], "."), "[]", "[...]")
}

// exported reports whether a function is exported that the first one calls. The
// directory of a package isn't always known: that of main can have any name.
func exported(words []string) bool {
	if strings.HasPrefix(words[0], "(*") {
		words = words[1:]
	}
	for _, word := range words[1:] {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) && word != words[0] {
			return true
		}
	}
	return false
}

// base returns the last element of an import path or directory that isn't a
// version.
func base(p string) string {
	p = strings.TrimSuffix(p, "_test")
	elem, _, _ := strings.Cut(path.Base(p), "@")
	if version.MatchString(elem) {
		elem, _, _ = strings.Cut(path.Base(path.Dir(p)), "@")
	}
	return strings.ReplaceAll(elem, "%2e", ".")
}

var version = regexp.MustCompile(`^v\d+$`)
