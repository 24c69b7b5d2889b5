package primitives

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
	// maxUploadBytes bounds the files of one call.
	maxUploadBytes = 16 << 20
	// uploadChunkSize is the size of one message's data; as base64 it stays below 512 KB.
	uploadChunkSize = 360 << 10
)

// file is one file to upload.
type file struct {
	name, mimeType string
	modified       int64 // milliseconds since 1970
	data           []byte
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
	a := action{name: "upload", resultField: "uploaded"}
	id := rand.Text()
	plain := c
	if plain.Arguments, err = withArguments(c.Arguments, map[string]any{"path": nil, "paths": nil, "upload_id": id, "count": len(files)}); err != nil {
		return nil, err
	}
	r, err := h.prepareTarget(ctx, plain, a, newHold())
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if err := h.sendChunks(ctx, plain, r, id, i, f); err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
	}
	return h.performSynthetic(ctx, plain, a, syntheticInput, r)
}

func (h *Handlers) sendChunks(ctx context.Context, c primitive.Call, r preparedTarget, id string, index int, f file) error {
	for start := 0; start == 0 || start < len(f.data); start += uploadChunkSize {
		chunk := f.data[start:min(start+uploadChunkSize, len(f.data))]
		args, err := json.Marshal(map[string]any{
			"locator": map[string]any{"ref": r.Ref}, "upload_id": id, "file": index, "name": f.name, "type": f.mimeType,
			"modified": f.modified, "data": base64.StdEncoding.EncodeToString(chunk),
		})
		if err != nil {
			return fault.Wrap(err, fault.InternalError, "a file cannot be sent: %v", err)
		}
		if _, _, err := h.inDocument(ctx, c, r.documentID, "upload.part", args); err != nil {
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
		f, err := h.readFile(path, maxUploadBytes-total)
		if err != nil {
			return nil, err
		}
		total += len(f.data)
		files = append(files, f)
	}
	return files, nil
}

func (h *Handlers) readFile(path string, limit int) (file, error) {
	root, inside, err := h.openPermittedRoot(path)
	if err != nil {
		return file{}, err
	}
	defer root.Close()
	// Opened below the folder itself: a link put there meanwhile leads nowhere else.
	opened, err := root.Open(inside)
	if err != nil {
		return file{}, readError(path, err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return file{}, readError(path, err)
	}
	if !info.Mode().IsRegular() {
		return file{}, fault.New(fault.FileNotFound, "%s is not a file", path)
	}
	data, err := io.ReadAll(io.LimitReader(opened, int64(limit)+1))
	if err != nil {
		return file{}, readError(path, err)
	}
	if len(data) > limit {
		return file{}, fault.New(fault.PayloadTooLarge, "one call uploads %d MiB at most", maxUploadBytes>>20).
			WithNextStep("Upload fewer or smaller files.").With("max_bytes", maxUploadBytes)
	}
	mimeType, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	return file{name: filepath.Base(path), mimeType: mimeType, modified: info.ModTime().UnixMilli(), data: data}, nil
}

// openPermittedRoot finds the permitted folder that the path leads into, all links
// followed, and the rest of the path.
func (h *Handlers) openPermittedRoot(path string) (root *os.Root, inside string, err error) {
	if !filepath.IsAbs(path) {
		return nil, "", fault.New(fault.InvalidInput, "%s is not an absolute path", path)
	}
	// The error of a path outside must not reveal whether it exists.
	real, resolveErr := filepath.EvalSymlinks(path)
	named := real
	if resolveErr != nil {
		named = filepath.Clean(path)
	}
	folders := h.UploadFolders()
	for _, folder := range folders {
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
				return nil, "", readError(path, resolveErr)
			}
			if root, err = os.OpenRoot(base); err != nil {
				return nil, "", readError(path, err)
			}
			return root, rest, nil
		}
	}
	return nil, "", fault.New(fault.FileNotPermitted, "%s is not below a folder that the user permits", path).With("folders", folders)
}

func readError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.FileNotFound, "there is no file %s", path)
	}
	return fault.Wrap(err, fault.FileNotPermitted, "%s cannot be read: %v", path, err)
}
