package files

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"time"
)

// An ETag is a hash of the content. A file gets one, instead of Last-Modified,
// if its modification time doesn't tell whether it has changed: there is none,
// as in an embed.FS, or all files have the same, as in reproducible builds and
// some container images. A client that asked with If-Modified-Since would
// otherwise keep its index.html after the next release.

// Limits.
const (
	maxTimes  = 100      // files to compare the modification times of
	maxTags   = 10_000   // ETags to remember
	maxHashed = 32 << 20 // size of a file with a modification time that gets an ETag
)

// meaningless reports whether the modification time of a file says nothing about
// its content.
func (s *store) meaningless(modified time.Time) bool {
	if modified.IsZero() || modified.Unix() == 0 { // http.ServeContent ignores both
		return true
	}
	s.once.Do(func() { s.fixed = fixedTime(s.fsys) })
	return modified.Equal(s.fixed)
}

// fixedTime returns the modification time that all files of fsys have, or the
// zero time. It looks at no more than maxTimes files and directories.
func fixedTime(fsys fs.FS) time.Time {
	var fixed time.Time
	n := 0
	dirs := []string{"."}
	for i := 0; i < len(dirs) && n < maxTimes; i++ {
		for _, entry := range entries(fsys, dirs[i]) {
			if entry.IsDir() {
				if len(dirs) < maxTimes {
					dirs = append(dirs, path.Join(dirs[i], entry.Name()))
				}
				continue
			}
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if n++; n == 1 {
				fixed = info.ModTime()
			} else if !info.ModTime().Equal(fixed) {
				return time.Time{}
			}
		}
	}
	return fixed
}

// entries returns the first entries of a directory.
func entries(fsys fs.FS, dir string) []fs.DirEntry {
	f, err := fsys.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	list, _ := d.ReadDir(maxTimes)
	return list
}

// A tag is the ETag of a file.
type tag struct {
	text string
	info fs.FileInfo // of the file when it was read
}

// tag returns the ETag of f, or "" if it is too large to compute one.
func (s *store) tag(f *file) (string, error) {
	known, ok := s.tags.Load(f.name)
	if ok && known.(*tag).isOf(f.info) {
		return known.(*tag).text, nil
	}
	if f.info.Size() > maxHashed && !f.info.ModTime().IsZero() {
		return "", nil
	}
	hash := sha256.New()
	_, err := io.Copy(hash, f)
	if _, seekErr := f.Seek(0, io.SeekStart); err != nil || seekErr != nil {
		return "", errors.Join(err, seekErr)
	}
	text := `"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16]) + `"`
	if ok || s.count.Add(1) <= maxTags {
		s.tags.Store(f.name, &tag{text, f.info})
	}
	return text, nil
}

// isOf reports whether the file has not changed since t was computed. A file
// without a modification time, as in an embed.FS, doesn't change. A file of the
// operating system that was replaced is another file, or has another change time.
// Of others, it isn't known.
func (t *tag) isOf(info fs.FileInfo) bool {
	if info.Size() != t.info.Size() || !info.ModTime().Equal(t.info.ModTime()) {
		return false
	}
	if ofSystem := os.SameFile(t.info, t.info); ofSystem {
		return os.SameFile(info, t.info) && changeTime(info) == changeTime(t.info)
	}
	return info.ModTime().IsZero()
}

// changeTime returns the time at which anything of a file of a Unix system was
// changed, or nil. A file that replaces a removed one may have the same inode.
func changeTime(info fs.FileInfo) any {
	if sys := reflect.Indirect(reflect.ValueOf(info.Sys())); sys.Kind() == reflect.Struct {
		for _, name := range []string{"Ctim", "Ctimespec"} { // of a syscall.Stat_t
			if f := sys.FieldByName(name); f.IsValid() {
				return f.Interface()
			}
		}
	}
	return nil
}
