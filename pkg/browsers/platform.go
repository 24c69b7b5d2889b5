package browsers

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Platform is an operating system with the folders in which to look for browsers.
type Platform struct {
	OS   string // as runtime.GOOS names it
	Home string
	// Config replaces ~/.config on Linux; "" leaves it.
	Config string
	// LocalData and ProgramFolders are Windows' places of data and programs.
	LocalData      string
	ProgramFolders []string
	// Root goes before what belongs to all users; tests have a folder of theirs.
	Root string
}

// Current returns the platform that the program runs on.
func Current() (Platform, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Platform{}, err
	}
	p := Platform{OS: runtime.GOOS, Home: home}
	switch p.OS {
	case "linux":
		p.Config = cmp.Or(os.Getenv("CHROME_CONFIG_HOME"), os.Getenv("XDG_CONFIG_HOME"))
	case "windows":
		p.LocalData = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
			if folder := os.Getenv(name); folder != "" {
				p.ProgramFolders = append(p.ProgramFolders, folder)
			}
		}
		p.ProgramFolders = append(p.ProgramFolders, p.LocalData)
	}
	return p, nil
}

// Program is a browser's program.
type Program struct {
	Path string
	// Sandbox names what keeps the browser from starting other programs, snap or
	// flatpak; "" where nothing does.
	Sandbox string
}

// Program finds the browser's program; one without a sandbox goes first.
func (p Platform) Program(b Browser) (Program, bool) {
	found := p.programs(b)
	for _, program := range found {
		if program.Sandbox == "" {
			return program, true
		}
	}
	if len(found) > 0 {
		return found[0], true
	}
	return Program{}, false
}

func (p Platform) programs(b Browser) []Program {
	var found []Program
	for _, name := range b.Programs {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, Program{Path: path, Sandbox: sandboxOf(path)})
		}
	}
	add := func(path, sandbox string) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			found = append(found, Program{Path: path, Sandbox: sandbox})
		}
	}
	switch p.OS {
	case "linux":
		add(p.join(p.Home, ".local/share/flatpak/exports/bin", b.Flatpak), "flatpak")
		add(p.join(p.Root, "/var/lib/flatpak/exports/bin", b.Flatpak), "flatpak")
	case "darwin":
		for _, folder := range []string{p.join(p.Root, "/Applications"), p.join(p.Home, "Applications")} {
			add(p.join(folder, b.DarwinApp+".app/Contents/MacOS", b.DarwinApp), "")
		}
	case "windows":
		for _, folder := range p.ProgramFolders {
			add(p.join(folder, strings.ReplaceAll(b.WindowsProgram, `\`, "/")), "")
		}
	}
	return found
}

// maxScript is how much of a program is read to see what it starts; a browser
// itself is bigger.
const maxScript = 16 << 10

// sandboxOf returns "snap" for a program that is one: by its place, or by being the
// script with which Ubuntu replaces the package.
func sandboxOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if strings.HasPrefix(path, "/snap/") || strings.HasPrefix(real, "/snap/") || filepath.Base(real) == "snap" {
		return "snap"
	}
	file, err := os.Open(real)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScript))
	if err == nil && bytes.HasPrefix(text, []byte("#!")) && bytes.Contains(text, []byte("/snap/bin/")) {
		return "snap"
	}
	return ""
}

// Installed returns the browsers that are installed.
func (p Platform) Installed(all []Browser) []Browser {
	var found []Browser
	for _, b := range all {
		if _, ok := p.Program(b); ok {
			found = append(found, b)
		}
	}
	return found
}
