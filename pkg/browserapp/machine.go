package browserapp

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

// Machine is where to look for browsers.
type Machine struct {
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

// This is the machine that the program runs on.
func This() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	m := Machine{OS: runtime.GOOS, Home: home}
	switch m.OS {
	case "linux":
		m.Config = cmp.Or(os.Getenv("CHROME_CONFIG_HOME"), os.Getenv("XDG_CONFIG_HOME"))
	case "windows":
		m.LocalData = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
			if folder := os.Getenv(name); folder != "" {
				m.ProgramFolders = append(m.ProgramFolders, folder)
			}
		}
		m.ProgramFolders = append(m.ProgramFolders, m.LocalData)
	}
	return m, nil
}

// Program is a browser's program.
type Program struct {
	Path string
	// Sandbox names what keeps the browser from starting other programs, snap or
	// flatpak; "" where nothing does.
	Sandbox string
}

// Program finds the browser's program; one without a sandbox goes first.
func (m Machine) Program(k Kind) (Program, bool) {
	found := m.programs(k)
	for _, p := range found {
		if p.Sandbox == "" {
			return p, true
		}
	}
	if len(found) > 0 {
		return found[0], true
	}
	return Program{}, false
}

func (m Machine) programs(k Kind) []Program {
	var found []Program
	for _, name := range k.Programs {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, Program{Path: path, Sandbox: sandboxOf(path)})
		}
	}
	add := func(path, sandbox string) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			found = append(found, Program{Path: path, Sandbox: sandbox})
		}
	}
	switch m.OS {
	case "linux":
		add(m.join(m.Home, ".local/share/flatpak/exports/bin", k.Flatpak), "flatpak")
		add(m.join(m.Root, "/var/lib/flatpak/exports/bin", k.Flatpak), "flatpak")
	case "darwin":
		for _, folder := range []string{m.join(m.Root, "/Applications"), m.join(m.Home, "Applications")} {
			add(m.join(folder, k.DarwinApp+".app/Contents/MacOS", k.DarwinApp), "")
		}
	case "windows":
		for _, folder := range m.ProgramFolders {
			add(m.join(folder, strings.ReplaceAll(k.WindowsProgram, `\`, "/")), "")
		}
	}
	return found
}

// maxScript is how much of a program is read to see what it starts; a browser
// itself is bigger.
const maxScript = 16 << 10

// sandboxOf tells whether a program is a snap: by its place, or by being the
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

// Installed lists the browsers that are on the machine.
func (m Machine) Installed(kinds []Kind) []Kind {
	var found []Kind
	for _, k := range kinds {
		if _, ok := m.Program(k); ok {
			found = append(found, k)
		}
	}
	return found
}
