// Package mcpserver offers the host to coding agents over the Model Context
// Protocol.
//
// Rules of this package:
//   - It decides nothing: every call goes over the local socket to the host of a
//     browser, whose one path decides, executes and logs it. Mode and origins are
//     sent along and enforced there.
//   - The catalogue is the same bytes with one map or a hundred; what a page's
//     map blocks is refused at dispatch.
//   - A tool that fails returns a result with isError and the envelope, never a
//     protocol error: a model must be able to read it.
//   - A success is {ok, output} and nothing that the caller need not know.
//   - What a page, a map or another stranger says stands between the marks of pkg/pagedata, one
//     for each answer. They are texts of their own, begin and end, around output and meta, and
//     in a failure around message and evidence: the block is valid JSON, its members are for
//     programs what they were. Characters that cannot be seen are escapes of JSON, so that a
//     model reads them and a program has them.
//   - Arguments of a wrong type are coerced if they have one meaning only; all others
//     go to the host unchanged.
//   - One process is one session, with its own current tab, tasks and rights.
package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// DefaultBrowserTimeout is how long a call waits for a browser that is not running.
const DefaultBrowserTimeout = 5 * time.Second

// Options sets up a server.
type Options struct {
	Version string
	Sockets string // the folder of the hosts' sockets
	Wait    time.Duration
	// Wants reports whether a browser profile may be used; nil: all.
	Wants func(control.Status) bool
	// Session is who calls, with its rights.
	Session control.SessionParams
	// ApprovalWait, above 0, is how long a call waits for the user's answer to
	// what it asks, instead of failing with needs_approval at once.
	ApprovalWait time.Duration
	// All offers every primitive as a tool of its own.
	All bool
}

// Server is one client's server. Its methods are safe for concurrent use.
type Server struct {
	options   Options
	catalogue *primitive.Catalogue
	names     primitive.Names
	hosts     *hosts
	mcp       *mcp.Server

	offeredTools []tool // of the profile
	listing      sync.Mutex
	absent       map[string]bool // guarded by listing

	mu         sync.Mutex
	current    current
	storedOnly bool
}

// revisions are the protocol revisions that are spoken, the newest first.
func revisions() []string {
	var versions []string
	for _, v := range mcp.SupportedProtocolVersions() {
		if v >= "2025-06-18" { // dates: the order of the text is that of time
			versions = append(versions, v)
		}
	}
	return versions
}

// New makes a server. It connects to no host before the first call.
func New(options Options) (*Server, error) {
	catalogue := primitive.Load()
	if options.Wants == nil {
		options.Wants = func(control.Status) bool { return true }
	}
	options.Session.Mode = cmp.Or(options.Session.Mode, policy.ModeAct) // as the host takes it
	s := &Server{options: options, catalogue: catalogue, names: toolNames(catalogue), absent: map[string]bool{}}
	s.hosts = newHosts(options, s.updateTools)
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "actions-host", Title: "Actions Host", Version: options.Version}, &mcp.ServerOptions{
		Instructions:              instructions(options.Session.Mode),
		SupportedProtocolVersions: revisions(),
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.mcp.AddReceivingMiddleware(s.resolveDottedName)
	var err error
	if s.offeredTools, err = s.tools(); err != nil {
		return nil, err
	}
	for _, t := range s.offeredTools {
		s.mcp.AddTool(t.tool, s.handler(t.name))
	}
	s.addResources()
	s.addPrompts()
	return s, nil
}

// Offer returns the tools and the instructions that a client gets, before it knows of any browser.
func (s *Server) Offer() (tools []*mcp.Tool, instructionsText string) {
	for _, t := range s.offeredTools {
		tools = append(tools, t.tool)
	}
	return tools, instructions(s.options.Session.Mode)
}

// Run serves one client until it leaves or the context ends.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	defer s.hosts.close()
	return s.mcp.Run(ctx, transport)
}

// resolveDottedName lets a client call a tool by its primitive's own name, which maps,
// reports and errors use, and a primitive that is not a tool of the profile as if by
// primitives.call: the host's answer has more for a model than an unknown tool.
func (s *Server) resolveDottedName(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok {
			name := s.names.Dotted(call.Params.Name)
			call.Params.Name = cmp.Or(s.names.Safe(name), name)
			if _, public := s.catalogue.Public(name); public && !s.isTool(name) {
				args, err := primitive.Output(map[string]any{"name": name, "arguments": call.Params.Arguments})
				if err != nil {
					return nil, err
				}
				call.Params.Name, call.Params.Arguments = s.names.Safe(callTool), args
			}
		}
		return next(ctx, method, req)
	}
}

// isTool reports whether a name is one of the profile's tools.
func (s *Server) isTool(name string) bool {
	return slices.ContainsFunc(s.offeredTools, func(t tool) bool { return t.name == name })
}

// offered reports whether the session could use a primitive at all.
func (s *Server) offered(r *primitive.Record) bool {
	return !r.IsForTextAgent() && policy.Offers(s.options.Session.Mode, s.options.Session.AllowCode, policy.Effect(r.Effect))
}
