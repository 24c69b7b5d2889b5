// Command releaser builds the files of a release into a folder:
//
//	go run ./scripts/releaser [-out dist] [OS/ARCH...]
//
// One archive for each platform with the program, the extension, manual pages,
// completions and licences; the extension as a zip; a bill of materials; SHA256SUMS.
//
// Rules of this package:
//   - The same commit produces the same bytes, in whatever folder, at whatever time
//     and by whatever user it is built: times are the commit's, owners are zero,
//     entries are sorted, paths are trimmed. The Go toolchain is part of the input.
//   - What is shipped is built from source here; nothing is taken from bin or
//     extension/dist, which may be older.
//   - A file that a user would miss fails the build.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// platforms are those of a whole release.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

func main() {
	out := flag.String("out", "dist", "folder of the finished files; those of an earlier release in it are removed")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string, wanted []string) error {
	for _, p := range wanted {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("the platform %q is none of %s", p, strings.Join(platforms, ", "))
		}
	}
	if len(wanted) == 0 {
		wanted = platforms
	}
	if err := checkOut(out); err != nil {
		return err
	}
	from, err := readSource()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "actions-host-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{source: from, work: work, out: out}
	if err := b.common(); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, p := range wanted {
		if err := b.platform(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := b.extension(); err != nil {
		return err
	}
	if err := b.bill(); err != nil {
		return err
	}
	return checksums(out)
}

// checkOut returns an error where the folder, which is emptied, holds what no release has.
func checkOut(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() || name != "SHA256SUMS" && !strings.HasPrefix(name, "actions-host_") && !strings.HasPrefix(name, "actions-host-extension_") {
			return fmt.Errorf("%s holds %s, which is no file of a release: name another folder", out, name)
		}
	}
	return nil
}

// builder holds what the platforms of one release share.
type builder struct {
	source
	work    string // for what is thrown away
	out     string
	version string
	shared  []file   // what every archive holds
	built   []string // the programs, for the bill of materials
}

// common builds what is the same on every platform. A program for this machine
// writes its completions and manual pages and prints its version.
func (b *builder) common() error {
	own := filepath.Join(b.work, "own", program(runtime.GOOS))
	if err := b.compile(own, runtime.GOOS, runtime.GOARCH, "-tags=manpages"); err != nil {
		return err
	}
	printed, err := b.output(own, "--version")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(printed))
	b.version = fields[len(fields)-1]

	extension := filepath.Join(b.work, "extension")
	if _, err := b.output("node", filepath.Join("extension", "build.mjs"), extension); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(b.work, "completions"), 0o755); err != nil {
		return err
	}
	for shell, name := range map[string]string{
		"bash": "actions-host.bash", "zsh": "_actions-host", "fish": "actions-host.fish", "powershell": "actions-host.ps1",
	} {
		text, err := b.output(own, "completion", shell)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.work, "completions", name), text, 0o644); err != nil {
			return err
		}
	}
	if _, err := b.output(own, "man", filepath.Join(b.work, "man", "man1")); err != nil {
		return err
	}
	for _, dir := range []string{"extension", "completions", "man"} {
		files, err := folder(filepath.Join(b.work, dir), dir)
		if err != nil {
			return err
		}
		b.shared = append(b.shared, files...)
	}
	b.shared = append(b.shared,
		file{name: "README.md", path: "scripts/releaser/archive.md", mode: 0o644}, file{name: "LICENSE", path: "LICENSE", mode: 0o644})
	for _, name := range documents {
		b.shared = append(b.shared, file{name: "doc/" + name, path: name, mode: 0o644})
	}
	return nil
}

// documents are for the user of an archive. They keep their places, so that
// their links to each other hold.
var documents = []string{
	"host/README.md", "pkg/actionmap/README.md", "pkg/mcpserver/clients.md", "pkg/policy/README.md",
	"manifest/README.md", "manifest/actions.schema.json", "manifest/actions.test.schema.json", "manifest/actions.test.md", "manifest/policy.schema.json", "manifest/actions.schema.md", "manifest/errors.json", "manifest/primitives/README.md",
}

// platform builds the archive of one platform.
func (b *builder) platform(p string) error {
	goos, goarch, _ := strings.Cut(p, "/")
	name := fmt.Sprintf("actions-host_%s_%s_%s", b.version, goos, goarch)
	exe := filepath.Join(b.work, name, program(goos))
	if err := b.compile(exe, goos, goarch); err != nil {
		return err
	}
	b.built = append(b.built, exe)
	notices := filepath.Join(b.work, name, "third-party-licenses.txt")
	if err := b.licenses(notices, goos, goarch); err != nil {
		return err
	}
	files := append(slices.Clone(b.shared),
		file{name: program(goos), path: exe, mode: 0o755},
		file{name: "third-party-licenses.txt", path: notices, mode: 0o644})
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	if goos == "windows" {
		return writeZip(filepath.Join(b.out, name+".zip"), files, b.when)
	}
	return writeTar(filepath.Join(b.out, name+".tar.gz"), files, b.when)
}

// extension packs the extension by itself, its manifest at the top, as browsers
// and stores take it.
func (b *builder) extension() error {
	files, err := folder(filepath.Join(b.work, "extension"), "")
	if err != nil {
		return err
	}
	return writeZip(filepath.Join(b.out, fmt.Sprintf("actions-host-extension_%s.zip", b.version)), files, b.when)
}

func program(goos string) string {
	if goos == "windows" {
		return "actions-host.exe"
	}
	return "actions-host"
}
