package e2e

import (
	"encoding/json"
	"testing"
)

func TestAgentStale(t *testing.T) {
	// Ensure that pane and popup ask for the view anew when the host says that changes were left out, and show all of it.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	popup := openPopup(t, a.played.Launched)
	a.changes("state", state("listening", nil))
	a.changes("rows", []object{row(1, "user", "Unheard of")})
	if err := a.played.Host.AgentChanged(t.Context(), json.RawMessage(`{"stale":true}`)); err != nil {
		t.Fatal(err)
	}
	pane.says("state", "Listening")
	pane.says("log", "Unheard of")
	popup.says("agent", "Listening")
	a.shows("row", row(2, "assistant", "And after it"))
	pane.says("log", "And after it")
}
