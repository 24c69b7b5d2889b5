package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/actionsjson/actions-host/pkg/desk"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// openDesk makes what serves the popup and the options page. From then on the
// user's choices hold for every call.
func (p *profile) openDesk(store *storage.Store) (err error) {
	if p.user, err = desk.Open(p.journal, os.Getenv(paths.EnvUnwatched) != "1"); err != nil {
		return err
	}
	p.user.Path, p.user.Tabs, p.user.Store = p.dispatcher, p.tabs, store
	p.dispatcher.Choices = p.user.Choices
	p.handlers.Shows = func() bool { return p.user.Choices().Show }
	return nil
}

// DeskCommand does what the user asks of the host in the popup and the options page.
func (p *profile) DeskCommand(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	return p.user.Command(ctx, command, args)
}
