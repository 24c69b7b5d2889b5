package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// peers starts the servers that package.json names, each with a home folder of
// its own and with everything off that would leave this machine.
func peers(b *testing.B, site string) []*contestant {
	b.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		b.Fatal("the npm packages are missing: run ./scripts/bench, which installs them")
	}
	return []*contestant{
		chromeDevTools(b, site),
		playwright(b, "playwright", site),
		playwright(b, "playwright-no-settle", site, "--timeout-settle=0"),
		agentBrowser(b, site),
	}
}

// chromium is the program that everybody drives.
func chromium(b *testing.B) string {
	b.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// peer prepares a program of node_modules.
func peer(b *testing.B, env []string, name string, args ...string) *exec.Cmd {
	b.Helper()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		b.Fatal(err)
	}
	args = append([]string{filepath.Join(modules, name)}, args...)
	if filepath.Ext(name) == ".js" {
		args = append([]string{"node"}, args...)
	}
	home, err := os.MkdirTemp("", "ah-peer-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(home) })
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = home
	cmd.Env = append(append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_RUNTIME_DIR="+home), env...)
	return cmd
}

// devToolsPage is the page that startDevTools opens, beside the browser's first.
const devToolsPage = 2

func startDevTools(b *testing.B, site string, flags ...string) *server {
	s := serve(b, peer(b, nil, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
		append([]string{"--headless", "--isolated", "--executablePath", chromium(b), "--chromeArg=--no-sandbox",
			"--no-usage-statistics", "--no-performance-crux"}, flags...)...))
	s.must("new_page", map[string]any{"url": site})
	return s
}

func chromeDevTools(b *testing.B, site string) *contestant {
	s, page := startDevTools(b, site), devToolsPage
	text := s.must("take_snapshot", map[string]any{"pageId": page})
	uid := func(role, name string) string {
		found := regexp.MustCompile(`uid=(\S+) ` + role + ` "` + name + `"`).FindStringSubmatch(text)
		if found == nil {
			b.Fatalf("chrome-devtools-mcp shows no %s %q:\n%s", role, name, text)
		}
		return found[1]
	}
	name, mail, size, send := uid("textbox", "Name"), uid("textbox", "Mail"), uid("combobox", "Size"), uid("button", "Send")
	return &contestant{name: "chrome-devtools-mcp", server: s, steps: func(n, m string) []step {
		return []step{
			{"fill", map[string]any{"pageId": page, "uid": name, "value": n}},
			{"fill", map[string]any{"pageId": page, "uid": mail, "value": m}},
			{"fill", map[string]any{"pageId": page, "uid": size, "value": "large"}},
			{"click", map[string]any{"pageId": page, "uid": send}},
			{"evaluate_script", map[string]any{"pageId": page, "function": readResult}},
		}
	}}
}

// readResult is for servers without a tool that reads the text of one element.
const readResult = `() => document.querySelector("#result").textContent`

func startPlaywright(b *testing.B, site string, flags ...string) *server {
	s := serve(b, peer(b, nil, "@playwright/mcp/cli.js",
		append([]string{"--headless", "--isolated", "--no-sandbox", "--executable-path", chromium(b)}, flags...)...))
	s.must("browser_navigate", map[string]any{"url": site})
	return s
}

func playwright(b *testing.B, called, site string, flags ...string) *contestant {
	s := startPlaywright(b, site, flags...)
	return &contestant{name: called, server: s, steps: func(n, m string) []step {
		return []step{
			{"browser_type", map[string]any{"element": "Name", "target": "#name", "text": n}},
			{"browser_type", map[string]any{"element": "Mail", "target": "#mail", "text": m}},
			{"browser_select_option", map[string]any{"element": "Size", "target": "#size", "values": []string{"large"}}},
			{"browser_click", map[string]any{"element": "Send", "target": "#send"}},
			{"browser_evaluate", map[string]any{"function": readResult}},
		}
	}}
}

// startAgentBrowser runs the program that the package brings for this machine; its
// launcher and its postinstall script are not needed.
func startAgentBrowser(b *testing.B, site string, flags ...string) *server {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	program := filepath.Join("agent-browser", "bin", "agent-browser-"+runtime.GOOS+"-"+arch)
	if err := os.Chmod(filepath.Join("node_modules", program), 0o755); err != nil {
		b.Fatal(err)
	}
	s := serve(b, peer(b, []string{
		"AGENT_BROWSER_EXECUTABLE_PATH=" + chromium(b), "AGENT_BROWSER_NO_VERSION_CHECK=1", "AGENT_BROWSER_IDLE_TIMEOUT_MS=300000",
		"AGENT_BROWSER_ARGS=--no-sandbox,--disable-background-networking,--disable-component-update,--disable-sync",
	}, program, append([]string{"mcp"}, flags...)...))
	s.must("agent_browser_open", map[string]any{"url": site})
	// Its browser belongs to a daemon, which does not end with the server.
	b.Cleanup(func() { s.must("agent_browser_close", map[string]any{"all": true}) })
	return s
}

func agentBrowser(b *testing.B, site string) *contestant {
	s := startAgentBrowser(b, site)
	return &contestant{name: "agent-browser", server: s, steps: func(n, m string) []step {
		return []step{
			{"agent_browser_fill", map[string]any{"selector": "#name", "text": n}},
			{"agent_browser_fill", map[string]any{"selector": "#mail", "text": m}},
			{"agent_browser_select", map[string]any{"selector": "#size", "values": []string{"large"}}},
			{"agent_browser_click", map[string]any{"selector": "#send"}},
			{"agent_browser_get_text", map[string]any{"selector": "#result"}},
		}
	}}
}
