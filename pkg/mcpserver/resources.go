package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Addresses of the resources.
const (
	logURI        = "actions-host://log"
	storageURI    = "actions-host://storage"
	primitivesURI = "actions-host://primitives"
)

const (
	jsonType = "application/json"

	maxFile  = 256_000 // bytes of a storage file
	maxFiles = 2000    // paths in the list of them
)

// addResources offers the resources, which a client reads without calling a tool.
func (s *Server) addResources() {
	s.resource(logURI, "log", "The newest records of this session's log.", func(ctx context.Context, _ string) (string, string, error) {
		return s.readLog(ctx, "")
	})
	if !s.confined() {
		s.template(logURI+"/{+session_id}", "log of a session", "The newest records of another session's log.", s.readLog)
	}
	s.resource(storageURI, "storage", "The paths of all files in the storage folder.", s.listStorage)
	s.template(storageURI+"/{+path}", "storage file", "A map, skill or document of the storage folder.", s.readStorage)
	s.resource(primitivesURI, "primitives", "All primitives that this session may use.", func(context.Context, string) (string, string, error) {
		return asJSON(s.find(""))
	})
	s.template(primitivesURI+"/{name}", "primitive", "What a primitive takes, gives and fails with.", func(_ context.Context, name string) (string, string, error) {
		described, err := s.describe(s.names.Dotted(name))
		if err != nil {
			return "", "", err
		}
		return asJSON(described)
	})
}

// confined reports whether the client's session may read only its own log. The host
// refuses others too.
func (s *Server) confined() bool {
	return s.options.Session.Mode == policy.ModeAsk || len(s.options.Session.Origins) > 0
}

// reader returns the resource at the rest of an address, and its type.
type reader func(ctx context.Context, rest string) (text, kind string, err error)

func (s *Server) resource(uri, name, description string, read reader) {
	s.mcp.AddResource(&mcp.Resource{URI: uri, Name: name, Description: description, MIMEType: jsonType}, serve(uri, read))
}

func (s *Server) template(uri, name, description string, read reader) {
	base, _, _ := strings.Cut(uri, "{")
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: name, Description: description}, serve(base, read))
}

// serve returns the handler of one resource. Here a failure is a protocol error: no
// model waits for its result.
func serve(base string, read reader) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		rest, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, base))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		text, kind, err := read(ctx, rest)
		if err != nil {
			return nil, notRead(req.Params.URI, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: kind, Text: text}}}, nil
	}
}

// notRead returns the protocol's error. The fault in it has the next step, and what approves a call.
func notRead(uri string, err error) error {
	var known *fault.Error // of a missing folder too
	if fault.Is(err, fault.UnknownPrimitive) || errors.Is(err, fs.ErrNotExist) && !errors.As(err, &known) {
		return mcp.ResourceNotFoundError(uri)
	}
	f := fault.From(err)
	data, _ := json.Marshal(f) // a fault always has a JSON form
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: f.Error(), Data: data}
}

func asJSON(v any) (text, kind string, err error) {
	raw, err := primitive.Output(v)
	return string(raw), jsonType, err
}

// readLog makes an ordinary call: reading the log is logged too.
func (s *Server) readLog(ctx context.Context, session string) (text, kind string, err error) {
	const name = "runtime.session.log"
	report, err := primitive.Output(policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "The client reads the resource of the log."})
	if err != nil {
		return "", "", err
	}
	args := members{reportMember: report}
	if session != "" {
		if args["session_id"], err = primitive.Output(session); err != nil {
			return "", "", err
		}
	}
	var e dispatch.Envelope
	if e = s.invoke(ctx, name, args, func(string) {}); !e.OK {
		return "", "", e.Error
	}
	return successText(e, true, false), jsonType, nil
}

// storage opens the storage folder of the first host: all hosts of a user share
// it. Nothing outside of it can be reached, not even by a link.
func (s *Server) storage(ctx context.Context) (*os.Root, error) {
	clients, err := s.hosts.connected(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(clients[0].Status.StorageRoot)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the storage folder cannot be read: %v", err)
	}
	return root, nil
}

func (s *Server) listStorage(ctx context.Context, _ string) (text, kind string, err error) {
	root, err := s.storage(ctx)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	files, more, err := filesOf(root)
	if err != nil {
		return "", "", fault.Wrap(err, fault.StorageUnavailable, "the storage folder cannot be read: %v", err)
	}
	return asJSON(map[string]any{"root": root.Name(), "files": files, "truncated": more})
}

// isHidden reports whether a path is in a dot file or folder, which is not the storage's
// own: a repository's files, which may hold its password, or an editor's.
func isHidden(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") && segment != "." {
			return true
		}
	}
	return false
}

func filesOf(root *os.Root) (files []string, more bool, err error) {
	files = []string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case isHidden(name) && entry.IsDir():
			return fs.SkipDir
		case isHidden(name):
		case len(files) == maxFiles:
			more = true
			return fs.SkipAll
		case entry.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	return files, more, err
}

func (s *Server) readStorage(ctx context.Context, name string) (text, kind string, err error) {
	root, err := s.storage(ctx)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	raw, err := readFile(root, name)
	if err != nil {
		return "", "", err
	}
	text = strings.ReplaceAll(string(raw), "\r", "")
	if path.Ext(name) == ".json" && json.Valid(raw) {
		return sealedJSON(raw)
	}
	kind = "text/plain"
	if path.Ext(name) == ".md" {
		kind = "text/markdown"
	}
	return pagedata.Seal(text), kind, nil
}

// sealedFile is a JSON file between the marks of a stranger's words: the whole is JSON, and
// the file in it is for programs what it was.
type sealedFile struct {
	Trust string          `json:"trust"`
	Begin string          `json:"begin"`
	File  json.RawMessage `json:"file"`
	End   string          `json:"end"`
}

func sealedJSON(raw []byte) (text, kind string, err error) {
	mark := pagedata.NewMark()
	return asJSON(sealedFile{Trust: pagedata.Untrusted, Begin: mark.Begin(), File: pagedata.Clean(raw), End: mark.End()})
}

// readFile reads a regular file of the storage: opening another, such as a pipe, could
// block for ever.
func readFile(root *os.Root, name string) ([]byte, error) {
	if info, err := root.Stat(name); err != nil || isHidden(name) || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fault.New(fault.PayloadTooLarge, "%s has more than %d bytes", name, maxFile)
	}
	return raw, err
}
