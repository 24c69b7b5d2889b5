package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/fakes/model"
)

// task is what the person asks for in the side panel, and done how its model ends.
const (
	task = "Find an oolong and order it for Ada."
	done = "I found Da Hong Pao and ordered it for Ada."
)

// taskSteps are what the fake model answers to it.
var taskSteps = []model.Step{
	{Calls: []model.Call{{Name: "actions_site", Arguments: `{"mode":"list"}`}}},
	{Calls: []model.Call{{Name: "actions_site", Arguments: `{"mode":"call","action":"teahouse.search","arguments":{"query":"oolong"}}`}}},
	{Calls: []model.Call{{Name: "actions_site", Arguments: order}}},
	{Text: done},
}

// chat shows a task in the side panel, whose model is a script.
func (s *stage) chat(ctx context.Context, headed bool) error {
	script := model.New(s.reporter, taskSteps...)
	script.Keyless()
	if err := s.data("agent.json", map[string]any{"text_model": "ollama/" + model.Name, "automationEnabled": true}); err != nil {
		return err
	}
	s.env = append(s.env, "ACTIONS_HOST_OLLAMA_BASE="+script.Base)

	heading("1. A browser with the extension, the shop open, its tab handed over")
	if err := s.open(ctx, headed, false); err != nil {
		return err
	}

	heading("2. The side panel; the person asks for something in three steps")
	panel, err := s.openPanel(ctx)
	if err != nil {
		return err
	}
	fmt.Println("user      ", task)
	if err := write(panel, task); err != nil {
		return err
	}
	var chat string
	err = until(ctx, "the model says what it did", func() (bool, error) {
		if chat, err = chromedp.Run(panel, chromedp.Evaluate[string](`document.getElementById("log").innerText`)); err != nil {
			return false, err
		}
		return chromedp.Run(panel, chromedp.Evaluate[bool](fmt.Sprintf(`document.getElementById("log").innerText.includes(%q)`, done)))
	})
	if err != nil {
		return fmt.Errorf("%w; the chat says\n%s", err, chat)
	}

	heading("3. The chat")
	if chat, err = chromedp.Run(panel, chromedp.Evaluate[string](`document.getElementById("log").innerText`)); err != nil {
		return err
	}
	fmt.Println(chat)
	shop, err := s.attach(ctx, s.shop)
	if err != nil {
		return err
	}
	for name, document := range map[string]context.Context{"panel-chat": panel, "panel-shop": shop} {
		if err := savePicture(document, name); err != nil {
			return err
		}
	}

	heading("4. What the page's server received")
	for _, r := range s.received.All() {
		fmt.Printf("%s %s %s\n", r.Method, r.Path, r.Body)
	}

	heading("5. The log of the chat")
	cmd := exec.CommandContext(ctx, s.program, "log", "dump", "--session", "agent:")
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), s.env...), os.Stdout, os.Stderr
	return cmd.Run()
}

// openPanel opens the side panel of the shop's tab, in a tab of its own of the panel's width.
func (s *stage) openPanel(ctx context.Context) (context.Context, error) {
	url := fmt.Sprintf("%ssidepanel.html?tab=%d", manifest.ExtensionURL, s.browser.Tabs[0].TabID)
	if _, err := cdp.Call(ctx, s.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: url}); err != nil {
		return nil, err
	}
	panel, err := s.attach(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = chromedp.Call(panel, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 720, DeviceScaleFactor: 1})
	if err != nil {
		return nil, err
	}
	return panel, until(ctx, "the chat is ready", func() (bool, error) {
		return chromedp.Run(panel, chromedp.Evaluate[bool](`document.getElementById("text")?.checkVisibility() === true`))
	})
}

// write writes a message like a person, and sends it.
func write(panel context.Context, text string) error {
	if _, err := chromedp.Run(panel, chromedp.Evaluate[bool](`(document.getElementById("text").focus(), true)`)); err != nil {
		return err
	}
	if _, err := chromedp.Call(panel, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		return err
	}
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(panel, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13}); err != nil {
			return err
		}
	}
	return nil
}

// savePicture saves how a document looks.
func savePicture(document context.Context, name string) error {
	shot, err := chromedp.Call(document, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	if err != nil {
		return err
	}
	file := filepath.Join("test", "output", name+".png")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, shot.Data, 0o644); err != nil {
		return err
	}
	fmt.Println("picture   ", file)
	return nil
}

// data writes a settings file of the program.
func (s *stage) data(name string, settings any) error {
	folder := filepath.Join(s.home, "data")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), text, 0o600)
}
