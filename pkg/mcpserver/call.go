package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// answerChars is how many characters an output may have before it is given in
// parts: several times what an answer needs, and well below what clients cut
// off without a word.
const answerChars = 32_000

// members are arguments by name.
type members map[string]json.RawMessage

// handler gives what runs a tool.
func (s *Server) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		called, args, err := s.unwrap(name, req.Params.Arguments)
		if err != nil {
			return s.result(called, dispatch.Envelope{Name: called, Error: fault.From(err).WithDispatched(fault.NotDispatched)}, false), nil
		}
		detail := string(args[detailMember]) == "true"
		delete(args, detailMember)
		progress, ended := newTeller(ctx, req)
		defer ended()
		e := s.invoke(ctx, called, args, progress.tell)
		e.Output = s.goingOn(e.Output, args[reportMember])
		return s.result(name, e, detail), nil
	}
}

// unwrap reads the arguments, as strictly as the host, and takes what
// primitives.call is about out of its own.
func (s *Server) unwrap(name string, raw json.RawMessage) (string, members, error) {
	args, err := readObject(raw)
	if err != nil {
		return name, args, err
	}
	if name != callTool {
		args.meant(s.kinds(name))
		return name, args, nil
	}
	args.meant(localKinds)
	var inner string
	if json.Unmarshal(args["name"], &inner) != nil || inner == "" {
		return name, nil, fault.New(fault.InvalidInput, "primitives.call needs the name of a primitive").
			WithNextStep(`Call it like {"name":"page.info","arguments":{"policy_exception_report":{…}}}; primitives.list has the names.`)
	}
	wrapped, err := readObject(args["arguments"])
	if err != nil {
		return inner, nil, err
	}
	wrapped = args.beside(wrapped)
	inner = s.dottedName(inner)
	wrapped.meant(s.kinds(inner))
	return inner, wrapped, nil
}

// kinds gives the types of a tool's arguments.
func (s *Server) kinds(name string) kinds {
	if r, ok := s.catalogue.Public(name); ok {
		return kindsOf(r)
	}
	return localKinds
}

// dottedName gives the primitive of a tool's name, or the name itself.
func (s *Server) dottedName(name string) string {
	for dotted, safe := range s.safe {
		if safe == name {
			return dotted
		}
	}
	return name
}

// readObject reads an object; nothing at all is an empty one.
func readObject(raw json.RawMessage) (members, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return members{}, nil
	}
	canonical, err := strictjson.Canonical(raw, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	args := members{}
	if err := json.Unmarshal(canonical, &args); err != nil {
		return nil, fault.New(fault.InvalidInput, "the arguments must be a JSON object").
			WithNextStep(`Give an object such as {"locator":{"selector":"h1"},"policy_exception_report":{…}}.`)
	}
	return args, nil
}

// invoke makes the call and gives its envelope; tell hears of its steps.
func (s *Server) invoke(ctx context.Context, name string, args members, tell func(string)) dispatch.Envelope {
	answered := func(output any, err error) dispatch.Envelope {
		e := dispatch.Envelope{Name: name, OK: err == nil}
		if err == nil {
			e.Output, err = primitive.Output(output)
		}
		if err != nil {
			e.OK, e.Error = false, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return e
	}
	switch name {
	case listTool:
		return answered(s.listPrimitives(args))
	case tabsTool:
		return answered(s.listTabs(ctx, args))
	case directTool:
		return answered(s.switchDirect(args))
	}
	record, ok := s.catalogue.Public(name)
	if !ok {
		return answered(nil, s.catalogue.NoSuch(name).WithNextStep("primitives.list finds the names by words."))
	}
	s.nameReport(name, args)
	raw, err := primitive.Output(args)
	if err != nil {
		return answered(nil, err)
	}
	for again := true; ; again = false {
		at, err := s.place(ctx, record, raw)
		if err != nil {
			return answered(nil, err)
		}
		e, err := s.send(ctx, at, record, args, tell)
		lost := fault.From(err)
		switch {
		case err == nil && again && s.approved(ctx, at.client, e, tell):
			continue
		case err == nil:
			return e
		case again && lost.Code == fault.TransportFailed && lost.Dispatched == fault.NotDispatched:
			continue // the host ended while nobody called: its next start takes the call
		case lost.Code == fault.TransportFailed && lost.Dispatched == fault.DispatchedUnknown && (record.Acts() || name == dispatch.SiteTool):
			// The host itself is gone and cannot say what its next start will log.
			lost = fault.Wrap(err, fault.OutcomeUnknown, "the host ended while %s ran: %s", name, lost.Message).
				With("cause", lost).WithDispatched(fault.DispatchedUnknown)
		}
		return dispatch.Envelope{Name: name, Error: lost}
	}
}

// send makes the call at its place.
func (s *Server) send(ctx context.Context, at place, r *primitive.Record, args members, tell func(string)) (e dispatch.Envelope, err error) {
	params := control.CallParams{Session: s.session(), Name: r.Name, Target: control.TargetParams{TabID: at.tab}}
	if !pictured(r) {
		params.MaxOutputChars = answerChars
	}
	if r.Name == activateTool {
		delete(args, "profile") // chosen already
	}
	if params.Arguments, err = primitive.Output(args); err != nil {
		return e, err
	}
	if e, err = at.client.CallTelling(ctx, params, tell); err != nil {
		return e, err
	}
	s.noteCurrent(ctx, r.Name, at.client)
	return e, nil
}

// switchDirect switches direct primitives off for the retest of a map. The host
// refuses them; here is only the switch.
func (s *Server) switchDirect(args members) (any, error) {
	var want struct {
		Allowed *bool `json:"allowed"`
	}
	const example = `{"allowed":false} or {"allowed":true}`
	if err := args.into(directTool, example, &want); err != nil {
		return nil, err
	}
	if want.Allowed == nil {
		return nil, fault.New(fault.InvalidInput, "%s takes allowed, true or false", directTool).WithNextStep("Call it like " + example + ".")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storedOnly = !*want.Allowed
	return map[string]bool{"allowed": *want.Allowed}, nil
}

// session is who calls, with the rights of now.
func (s *Server) session() control.SessionParams {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.options.Session
	own.StoredOnly = s.storedOnly
	for client := range s.mcp.Sessions() { // one: this process serves one client
		if hello := client.InitializeParams(); hello != nil && hello.ClientInfo != nil {
			own.Client = strings.TrimSpace(hello.ClientInfo.Name + " " + hello.ClientInfo.Version)
		}
	}
	return own
}

// nameReport lets a report name the tool as the client knows it, with the
// server's name before it where the client puts one: the host compares it with
// the primitive's own name.
func (s *Server) nameReport(name string, args members) {
	report, err := readObject(args[reportMember])
	var intended string
	if err != nil || json.Unmarshal(report["intended_tool"], &intended) != nil {
		return // the host says what is wrong with it
	}
	if at := strings.LastIndex(intended, "__"); at >= 0 && strings.HasPrefix(intended, "mcp__") {
		intended = intended[at+len("__"):]
	}
	if intended != s.safe[name] {
		return
	}
	report["intended_tool"] = json.RawMessage(`"` + name + `"`)
	if raw, err := primitive.Output(report); err == nil {
		args[reportMember] = raw
	}
}

// listTabs lists the claimed tabs of all browsers.
func (s *Server) listTabs(ctx context.Context, args members) (any, error) {
	if err := args.into(tabsTool, "{}", &struct{}{}); err != nil {
		return nil, err
	}
	clients, err := s.hosts.connected(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.claimed(ctx, clients)
	if err != nil {
		return nil, err
	}
	at := s.currentTab()
	for i, t := range all {
		all[i].Current = t.TabID == at.tab && t.client.Status.ProfileID == at.profileID
	}
	told := map[string]any{"tabs": all, "count": len(all)}
	if len(all) == 0 {
		told["next_step"] = "No tab is handed over: ask the user to open the page and choose Take control of this tab in the extension's popup."
	}
	return told, nil
}
