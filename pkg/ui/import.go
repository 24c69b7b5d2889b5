package ui

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// maxUpload is the largest bundle; the storage holds its parts to the same.
const maxUpload = 64 << 20

// upload is the bundle that the options page is sending; a new one replaces one
// that was never finished.
type upload struct {
	mu     sync.Mutex
	id     string
	chunks []string
	bytes  int
}

func (u *upload) add(chunk protocol.ImportChunk) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if chunk.Import == "" {
		return fault.New(fault.InvalidInput, "a part of an import must name it").WithDispatched(fault.NotDispatched)
	}
	if chunk.Import != u.id {
		u.id, u.chunks, u.bytes = chunk.Import, nil, 0
	}
	if chunk.Index != len(u.chunks) {
		return fault.New(fault.InvalidInput, "part %d of the import came where %d was expected", chunk.Index, len(u.chunks)).
			WithNextStep("Choose the files again.").WithDispatched(fault.NotDispatched)
	}
	if u.bytes += len(chunk.Text); u.bytes > maxUpload {
		u.id, u.chunks, u.bytes = "", nil, 0
		return fault.New(fault.PayloadTooLarge, "the files have more than %d bytes", maxUpload).
			WithNextStep("Import fewer files at once, or copy the folder into the storage folder.").WithDispatched(fault.NotDispatched)
	}
	u.chunks = append(u.chunks, chunk.Text)
	return nil
}

// take returns the whole text and clears the upload.
func (u *upload) take(id string, chunks int) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if id == "" || id != u.id || chunks != len(u.chunks) {
		return nil, fault.New(fault.InvalidInput, "the files of the import have not all arrived").
			WithNextStep("Choose the files again.").WithDispatched(fault.NotDispatched)
	}
	text := strings.Join(u.chunks, "")
	u.id, u.chunks, u.bytes = "", nil, 0
	return []byte(text), nil
}

// Imported is the result of an import.
type Imported struct {
	Result storage.ImportResult `json:"result"`
	Stored Stored               `json:"stored"`
}

// importBundle merges the uploaded bundle, as the terminal's storage import does.
func (b *Backend) importBundle(ctx context.Context, id string, chunks int) (Imported, error) {
	text, err := b.upload.take(id, chunks)
	if err != nil {
		return Imported{}, err
	}
	result, err := b.Store.Import(text)
	if err != nil {
		return Imported{}, fault.From(err).WithDispatched(fault.NotDispatched) // all or nothing
	}
	data, err := json.Marshal(result)
	if err != nil {
		return Imported{}, fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	err = b.log.Append(ctx, journal.Record{Type: journal.TypeLifecycle, Name: "storage.import", Data: data})
	return Imported{Result: result, Stored: b.stored()}, err
}
