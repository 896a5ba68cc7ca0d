package body_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A keeper retains the argument of UnmarshalJSON, which encoding/json forbids.
type keeper struct{ kept []byte }

func (k *keeper) UnmarshalJSON(p []byte) error { k.kept = p; return nil }

// TestReadJSONDoesNotShareItsBuffer checks that a type that retains the argument
// of UnmarshalJSON doesn't get bytes of later requests.
func TestReadJSONDoesNotShareItsBuffer(t *testing.T) {
	for _, options := range [][]body.Option{nil, {body.Strict}} {
		var all []keeper
		read := func(text string) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			v, err := body.ReadJSON[struct{ X keeper }](httptest.NewRecorder(), r, 0, options...)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v.X)
		}
		for i := range 100 {
			read(fmt.Sprintf(`{"x":"value %03d"}`, i))
		}
		for i, k := range all {
			if want := fmt.Sprintf(`"value %03d"`, i); string(k.kept) != want {
				t.Fatalf("%v: request %d has %s, want %s", options, i, k.kept, want)
			}
		}
	}
}

func TestReadJSONStrict(t *testing.T) {
	type order struct {
		Item string
		More struct{ Count int }
		Next *order
	}
	const json = "application/json"
	for _, c := range []struct {
		contentType, text string // a line of contentType is a header
		status            int
		detail            string
	}{
		{json, `{"item":"tea","more":{"count":2}}`, 0, ""},
		{"Application/JSON; charset=utf-8", " {}\r\n\t ", 0, ""},
		{"application/merge-patch+json", `{}`, 0, ""},
		{json, `{"itm":"tea"}`, 400, `The request body is not the expected JSON: the field "itm" is unknown.`},
		{json, `{"more":{"cuont":2}}`, 400, `The request body is not the expected JSON: the field "cuont" is unknown.`},
		{json, `{"` + strings.Repeat("x", 200) + `":1}`, 400, "The request body is not the expected JSON."},
		{json, `{"item":1}`, 400, `The request body is not the expected JSON: "Item" must be a string.`},
		{json, `{"more":{"count":"2"}}`, 400, `The request body is not the expected JSON: "More.Count" must be a whole number.`},
		{json, `{"more":{"count":2.5}}`, 400, `The request body is not the expected JSON: "More.Count" must be a whole number.`},
		{json, `{"more":{"count":9223372036854775808}}`, 400, `The request body is not the expected JSON: "More.Count" is out of range.`},
		{json, `{"more":[]}`, 400, `The request body is not the expected JSON: "More" must be an object.`},
		{json, `{"item":"tea","item":"x"}`, 400, `The request body is not the expected JSON: the name "item" is repeated.`},
		{json, `{"next":{"item":"\"{","ITE\u004d":"x"}}`, 400, `The request body is not the expected JSON: the name "ITEM" is repeated.`},
		{json, `{"item":"item","more":{},"next":{"item":"\\"}}`, 0, ""},
		{json, strings.Repeat(`{"next":`, 30) + `{"item":1}` + strings.Repeat("}", 30), 400, "The request body is not the expected JSON."},
		{json, `"tea"`, 400, "The request body is not the expected JSON."},
		{json, `{"item":`, 400, "The request body is not valid JSON; see byte "},
		{json, ` `, 400, "The request body is not valid JSON; see byte "},
		{json, `{} x`, 400, "The request body is not valid JSON; see byte "},
		{json, `{}{}`, 400, "The request body is not valid JSON; see byte "},
		{json, ``, 400, "The request body is empty; a JSON value is expected."},
		{"", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"text/plain", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"application/x-www-form-urlencoded", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"multipart/form-data; boundary=x", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"text/plain; x=application/json", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"application/json, text/plain", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"application/json; charset", `{}`, 415, "The Content-Type of the request must be application/json."},
		{"application/jsonx", `{}`, 415, "The Content-Type of the request must be application/json."},
		{json + "\ntext/plain", `{}`, 415, "The Content-Type of the request must be application/json."},
		{json + "\n" + json, `{}`, 415, "The Content-Type of the request must be application/json."},
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(c.text))
		r.Header["Content-Type"] = strings.Split(c.contentType, "\n")
		v, err := body.ReadJSON[order](httptest.NewRecorder(), r, 0, body.Strict)
		if statusOf(err) != c.status || err != nil && (v != order{}) {
			t.Errorf("%q as %q: %+v, %v, want status %d", c.text, c.contentType, v, err, c.status)
			continue
		}
		if e, ok := errors.AsType[*body.Error](err); ok {
			// The case of a field's name differs between Go releases.
			got, want := strings.ToLower(e.ProblemDetail()), strings.ToLower(c.detail)
			if strings.HasSuffix(want, ".") && got != want || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ".") {
				t.Errorf("%q as %q: the client is told %q, want %q", c.text, c.contentType, e.ProblemDetail(), c.detail)
			}
			if text := err.Error(); c.status == 400 && !strings.HasPrefix(text, "body: the request body is not the expected JSON: ") && !strings.HasPrefix(text, "body: the request body is empty; ") {
				t.Errorf("%q as %q: the error is %q", c.text, c.contentType, text)
			}
		}
		// Without the option, only what isn't JSON or doesn't match is rejected.
		r = httptest.NewRequest("POST", "/", strings.NewReader(c.text))
		r.Header["Content-Type"] = strings.Split(c.contentType, "\n")
		v, err = body.ReadJSON[order](httptest.NewRecorder(), r, 0)
		want := c.status
		if want == 415 || strings.Contains(c.detail, "is unknown") || strings.Contains(c.detail, "is repeated") || strings.Contains(c.text, "xxx") {
			want = 0
		}
		if statusOf(err) != want || err != nil && (v != order{}) {
			t.Errorf("%q as %q, not strict: %+v, %v, want status %d", c.text, c.contentType, v, err, want)
		}
	}
}

// TestReadJSONTypes checks what a client is told about types that have another
// form in JSON.
func TestReadJSONTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"data":5}`:      `"data" must be a string.`,
		`{"number":true}`: `"number" must be a number.`,
	} {
		_, err := body.ReadJSON[struct {
			Data   []byte
			Number json.Number
		}](httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(text)), 0)
		// Go 1.27 doesn't say which field has the type json.Number.
		if e, ok := errors.AsType[*body.Error](err); !ok || !strings.HasSuffix(strings.ToLower(e.ProblemDetail()), want) && !strings.HasSuffix(e.ProblemDetail(), "JSON.") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A quoter quotes its argument in its error, as encoding/json of Go 1.27 does
// with the names of members.
type quoter struct{}

func (quoter) UnmarshalText(p []byte) error { return fmt.Errorf("bad value %s", p) }

// TestReadJSONErrorsArePrintable checks that a client can't write lines of a
// log, or long ones, with what it sends.
func TestReadJSONErrorsArePrintable(t *testing.T) {
	for _, options := range [][]body.Option{nil, {body.Strict}} {
		for _, text := range []string{`a\nb\u001b[31m`, strings.Repeat("a", 10_000)} {
			for _, format := range []string{`{"quoter":"%s"}`, `{"members":{"%s":"1"}}`, `{"%s":1}`} {
				r := httptest.NewRequest("POST", "/", strings.NewReader(fmt.Sprintf(format, text)))
				r.Header.Set("Content-Type", "application/json")
				_, err := body.ReadJSON[struct {
					Quoter  quoter
					Members map[string]int
				}](httptest.NewRecorder(), r, 0, options...)
				e, ok := errors.AsType[*body.Error](err)
				if !ok {
					if options != nil || format != `{"%s":1}` {
						t.Errorf("%.40s: %v, want an *Error", fmt.Sprintf(format, text), err)
					}
					continue
				}
				if detail := e.ProblemDetail(); strings.ContainsAny(err.Error()+detail, "\n\x1b") || len(err.Error()) > 2000 || len(detail) > 200 {
					t.Errorf("%.40s: %.300q, and the client is told %.300q", fmt.Sprintf(format, text), err, detail)
				}
			}
		}
	}
}

type (
	byValue   struct{ N int }
	byPointer struct{ N int }
	plain     struct{ N int }
)

var errNegative = &problem.Error{Detail: "n must not be negative.", Members: map[string]any{"field": "n"}}

func check(n int) error {
	switch {
	case n < -99:
		return &problem.Error{Err: errors.New("the password is hunter2")}
	case n < -9:
		return errors.New("the password is hunter2")
	case n < 0:
		return fmt.Errorf("order: %w", errNegative)
	}
	return nil
}

func (v byValue) Validate() error    { return check(v.N) }
func (v *byPointer) Validate() error { return check(v.N) }

func readN[T any](text string) error {
	_, err := body.ReadJSON[T](httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(text)), 0)
	return err
}

func TestReadJSONValidates(t *testing.T) {
	const invalid = `{"title":"Unprocessable Entity","status":422,"detail":"n must not be negative.","field":"n"}`
	const secret = `{"title":"Unprocessable Entity","status":422,"detail":"The request body is not valid."}`
	const null = `{"title":"Unprocessable Entity","status":422,"detail":"The request body must not be null."}`
	for _, c := range []struct {
		name string
		read func(string) error
		text string
		want string // the response, or "" if there is no error
	}{
		{"value", readN[byValue], `{"n":1}`, ""},
		{"value", readN[byValue], `{"n":-1}`, invalid},
		{"value", readN[byValue], `{"n":-10}`, secret},
		{"value", readN[byValue], `{"n":-100}`, secret},
		{"value", readN[byValue], `null`, ""},
		{"pointer", readN[byPointer], `{"n":1}`, ""},
		{"pointer", readN[byPointer], `{"n":-1}`, invalid},
		{"T is a pointer", readN[*byPointer], `{"n":-1}`, invalid},
		{"T is a pointer", readN[*byPointer], `null`, null},
		{"T is a pointer", readN[*byValue], `null`, null},
		{"T is a pointer", readN[*byValue], `{"n":-1}`, invalid},
		{"no Validate", readN[plain], `{"n":-1}`, ""},
		{"no Validate", readN[*plain], `null`, ""},
	} {
		err := c.read(c.text)
		if err == nil {
			if c.want != "" {
				t.Errorf("%s: %s: no error, want %s", c.name, c.text, c.want)
			}
			continue
		}
		w := httptest.NewRecorder()
		problem.JSON(w, httptest.NewRequest("POST", "/", nil), err)
		if got := strings.TrimSpace(w.Body.String()); got != c.want || w.Code != 422 {
			t.Errorf("%s: %s: %d %s, want %s", c.name, c.text, w.Code, got, c.want)
		}
		if !strings.HasPrefix(err.Error(), "body: the request body is ") {
			t.Errorf("%s: %s: the error is %q", c.name, c.text, err)
		}
	}
	if err := readN[byValue](`{"n":-1}`); !errors.Is(err, errNegative) {
		t.Errorf("the error %v doesn't wrap that of Validate", err)
	}
}
