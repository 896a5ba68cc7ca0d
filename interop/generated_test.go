package interop

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/seed-1954dcaa/muxmaster/interop/overlay"
)

// TestGenerated runs the rows that need generated code, with the code that the
// generators write now.
func TestGenerated(t *testing.T) {
	if generated {
		t.Fatal("the rows run themselves")
	}
	files := map[string][]byte{"notes/notes.gen.go": generateNotes(t)}
	for _, plugin := range [][2]string{
		{"protoc-gen-go", "paths=source_relative"},
		{"protoc-gen-go-grpc", "paths=source_relative"},
		{"protoc-gen-connect-go", "paths=source_relative"},
		{"protoc-gen-grpc-gateway", "paths=source_relative,grpc_api_configuration=echo/gateway.yaml"},
	} {
		for name, text := range generateEcho(t, plugin[0], plugin[1]) {
			files[name] = text
		}
	}
	var names []string
	for _, f := range families {
		for _, r := range f.rows {
			if r.run == nil {
				names = append(names, r.name)
			}
		}
	}
	if len(files) < 5 || len(names) != 3 {
		t.Fatalf("%d files for the rows %q", len(files), names)
	}
	overlay.Test(t, files, "-run=TestLibraries/("+strings.Join(names, "|")+")$", ".")
}

// generateNotes returns what oapi-codegen makes of openapi.yaml.
func generateNotes(t *testing.T) []byte {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromFile("notes/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := codegen.Generate(spec, codegen.Configuration{
		PackageName: "notes",
		Generate:    codegen.GenerateOptions{StdHTTPServer: true, Client: true, Models: true},
	}.UpdateDefaults())
	if err != nil {
		t.Fatal(err)
	}
	return []byte(text)
}

// generateEcho runs a plugin of protoc, which is a tool of this module, for
// echo.proto.
func generateEcho(t *testing.T, plugin, parameter string) map[string][]byte {
	t.Helper()
	const file = "echo/echo.proto"
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{}}
	compiled, err := compiler.Compile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file},
		Parameter:      &parameter,
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(compiled[0])},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", plugin, err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil || response.Error != nil {
		t.Fatalf("%s: %v %s", plugin, err, response.GetError())
	}
	files := make(map[string][]byte)
	for _, f := range response.File {
		files[path.Clean(f.GetName())] = []byte(f.GetContent())
	}
	if len(files) == 0 {
		t.Fatalf("%s wrote nothing", plugin)
	}
	return files
}
