package desk

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// maxUpload is the largest bundle; the storage holds its parts to the same.
const maxUpload = 64 << 20

// part is a piece of a bundle's text. A bundle may be as large as the largest
// message, and would hold up everything behind it in one piece.
type part struct {
	Import string `json:"import"` // which upload
	Index  int    `json:"index"`  // from 0
	Text   string `json:"text"`
}

// upload is the bundle that the options page is sending; a new one replaces one
// that was never finished.
type upload struct {
	mu    sync.Mutex
	id    string
	parts []string
	bytes int
}

func (u *upload) add(p part) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if p.Import == "" {
		return fault.New(fault.InvalidInput, "a part of an import must name it").WithDispatched(fault.NotDispatched)
	}
	if p.Import != u.id {
		u.id, u.parts, u.bytes = p.Import, nil, 0
	}
	if p.Index != len(u.parts) {
		return fault.New(fault.InvalidInput, "part %d of the import came where %d was expected", p.Index, len(u.parts)).
			WithNextStep("Choose the files again.").WithDispatched(fault.NotDispatched)
	}
	if u.bytes += len(p.Text); u.bytes > maxUpload {
		u.id, u.parts, u.bytes = "", nil, 0
		return fault.New(fault.PayloadTooLarge, "the files have more than %d bytes", maxUpload).
			WithNextStep("Import fewer files at once, or copy the folder into the storage folder.").WithDispatched(fault.NotDispatched)
	}
	u.parts = append(u.parts, p.Text)
	return nil
}

// take gives the whole text and forgets it.
func (u *upload) take(id string, parts int) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if id == "" || id != u.id || parts != len(u.parts) {
		return nil, fault.New(fault.InvalidInput, "the files of the import have not all arrived").
			WithNextStep("Choose the files again.").WithDispatched(fault.NotDispatched)
	}
	text := strings.Join(u.parts, "")
	u.id, u.parts, u.bytes = "", nil, 0
	return []byte(text), nil
}

// Imported is what became of an import.
type Imported struct {
	Result storage.ImportResult `json:"result"`
	Stored Stored               `json:"stored"`
}

// imported merges the uploaded bundle, as the terminal's storage import does.
func (d *Desk) imported(ctx context.Context, id string, parts int) (Imported, error) {
	text, err := d.upload.take(id, parts)
	if err != nil {
		return Imported{}, err
	}
	result, err := d.Store.Import(text)
	if err != nil {
		return Imported{}, fault.From(err).WithDispatched(fault.NotDispatched) // all or nothing
	}
	data, err := json.Marshal(result)
	if err != nil {
		return Imported{}, fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	err = d.log.Append(ctx, journal.Record{Type: journal.TypeLifecycle, Name: "storage.import", Data: data})
	return Imported{Result: result, Stored: d.stored()}, err
}
