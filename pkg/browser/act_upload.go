package browser

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// maxUpload is the most that one call gives to a page.
	maxUpload = 16 << 20
	// uploadPart is what one message holds; as base64 it stays below 512 KB.
	uploadPart = 360 << 10
)

// file is one file on its way to a page.
type file struct {
	name, kind string
	modified   int64 // milliseconds since 1970
	data       []byte
}

// uploadFile is locator.upload_file. The host reads the files, so the browser
// needs no access to the disk; the page code hands them to the page.
func (h *Handlers) uploadFile(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Path     string   `json:"path"`
		Paths    []string `json:"paths"`
		Fidelity string   `json:"fidelity"`
	}](c)
	if err != nil {
		return nil, err
	}
	if args.Fidelity == trustedInput {
		return nil, fault.New(fault.CapabilityUnavailable, "files are handed over by the page code, not by real input").
			WithNextStep("Leave out fidelity.").WithDispatched(fault.NotDispatched)
	}
	paths := args.Paths
	if args.Path != "" {
		paths = append([]string{args.Path}, paths...)
	}
	if len(paths) == 0 {
		return nil, fault.New(fault.InvalidInput, "no file is named: give path or paths").WithDispatched(fault.NotDispatched)
	}
	files, err := h.readFiles(paths)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	// The paths stay in the host.
	a := acting{name: "upload", done: "uploaded"}
	id := rand.Text()
	plain := c
	if plain.Arguments, err = with(c.Arguments, map[string]any{"path": nil, "paths": nil, "upload_id": id, "count": len(files)}); err != nil {
		return nil, err
	}
	r, err := h.prepare(ctx, plain, a)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if err := h.sendParts(ctx, plain, r, id, i, f); err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
	}
	return h.synthetic(ctx, plain, a, syntheticInput, r)
}

func (h *Handlers) sendParts(ctx context.Context, c primitive.Call, r ready, id string, index int, f file) error {
	for start := 0; start == 0 || start < len(f.data); start += uploadPart {
		part := f.data[start:min(start+uploadPart, len(f.data))]
		args, err := json.Marshal(map[string]any{
			"locator": map[string]any{"ref": r.Ref}, "upload_id": id, "file": index, "name": f.name, "type": f.kind,
			"modified": f.modified, "data": base64.StdEncoding.EncodeToString(part),
		})
		if err != nil {
			return fault.Wrap(err, fault.InternalError, "a file cannot be sent: %v", err)
		}
		if _, _, err := h.inDocument(ctx, c, r.document, "upload.part", args); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads the files, all of which must lie below a permitted folder.
func (h *Handlers) readFiles(paths []string) ([]file, error) {
	var files []file
	total := 0
	for _, path := range paths {
		f, err := h.readFile(path, maxUpload-total)
		if err != nil {
			return nil, err
		}
		total += len(f.data)
		files = append(files, f)
	}
	return files, nil
}

func (h *Handlers) readFile(path string, room int) (file, error) {
	root, inside, err := h.permitted(path)
	if err != nil {
		return file{}, err
	}
	defer root.Close()
	// Opened below the folder itself: a link put there meanwhile leads nowhere else.
	opened, err := root.Open(inside)
	if err != nil {
		return file{}, unreadable(path, err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return file{}, unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return file{}, fault.New(fault.FileNotFound, "%s is not a file", path)
	}
	data, err := io.ReadAll(io.LimitReader(opened, int64(room)+1))
	if err != nil {
		return file{}, unreadable(path, err)
	}
	if len(data) > room {
		return file{}, fault.New(fault.PayloadTooLarge, "one call uploads %d MiB at most", maxUpload>>20).
			WithNextStep("Upload fewer or smaller files.").With("max_bytes", maxUpload)
	}
	kind, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	return file{name: filepath.Base(path), kind: kind, modified: info.ModTime().UnixMilli(), data: data}, nil
}

// permitted finds the permitted folder that the path leads into, all links
// followed, and the rest of the path.
func (h *Handlers) permitted(path string) (root *os.Root, inside string, err error) {
	if !filepath.IsAbs(path) {
		return nil, "", fault.New(fault.InvalidInput, "%s is not an absolute path", path)
	}
	// A path outside must not tell whether it exists.
	real, resolveErr := filepath.EvalSymlinks(path)
	named := real
	if resolveErr != nil {
		named = filepath.Clean(path)
	}
	for _, folder := range h.UploadFolders {
		base := folder
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			base = resolved
		}
		for _, below := range []string{base, folder} {
			rest, err := filepath.Rel(below, named)
			if err != nil || !filepath.IsLocal(rest) || rest == "." {
				continue
			}
			if resolveErr != nil {
				return nil, "", unreadable(path, resolveErr)
			}
			if root, err = os.OpenRoot(base); err != nil {
				return nil, "", unreadable(path, err)
			}
			return root, rest, nil
		}
	}
	return nil, "", fault.New(fault.FileNotPermitted, "%s is not below a folder that the user permits", path).With("folders", h.UploadFolders)
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.FileNotFound, "there is no file %s", path)
	}
	return fault.Wrap(err, fault.FileNotPermitted, "%s cannot be read: %v", path, err)
}
