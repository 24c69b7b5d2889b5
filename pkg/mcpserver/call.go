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

// maxOutputChars is how many characters an output may have before it is split into
// pages: several times what an answer needs, and well below where clients truncate
// silently.
const maxOutputChars = 32_000

// maxQuestions is how many questions one call may raise, one after the other: about its page, and
// about frames that it leads into.
const maxQuestions = 5

// members are arguments by name.
type members map[string]json.RawMessage

// handler returns the handler of a tool.
func (s *Server) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		called, args, err := s.unwrap(name, req.Params.Arguments)
		if err != nil {
			return s.result(dispatch.Envelope{Name: called, Error: fault.From(err).WithDispatched(fault.NotDispatched)}, false), nil
		}
		detail := string(args[detailMember]) == "true"
		delete(args, detailMember)
		progress, ended := newProgressSender(ctx, req)
		defer ended()
		asked := newForm(req)
		e := s.invoke(withForm(ctx, asked), called, args, progress.send)
		if asked.pending != nil {
			return asked.result(), nil
		}
		return s.result(e, detail), nil
	}
}

// unwrap reads the arguments, as strictly as the host, and for primitives.call returns
// the primitive and the arguments inside.
func (s *Server) unwrap(name string, raw json.RawMessage) (string, members, error) {
	args, err := readObject(raw)
	if err != nil {
		return name, args, err
	}
	if name != callTool {
		args.coerce(s.toolArgTypes(name))
		return name, args, nil
	}
	args.coerce(localArgTypes)
	var inner string
	if json.Unmarshal(args["name"], &inner) != nil || inner == "" {
		return name, nil, fault.New(fault.InvalidInput, "primitives.call needs the name of a primitive").
			WithNextStep(`Call it like {"name":"page.info","arguments":{"policy_exception_report":{…}}}; primitives.list has the names.`)
	}
	wrapped, err := readObject(args["arguments"])
	if err != nil {
		return inner, nil, err
	}
	wrapped = args.mergeOuter(wrapped)
	inner = s.names.Dotted(inner)
	wrapped.coerce(s.toolArgTypes(inner))
	return inner, wrapped, nil
}

// toolArgTypes returns the types of a tool's arguments.
func (s *Server) toolArgTypes(name string) argTypes {
	if r, ok := s.catalogue.Public(name); ok {
		return argTypesOf(r)
	}
	return localArgTypes
}

// readObject reads an object; nothing at all, and null, is an empty one.
func readObject(raw json.RawMessage) (members, error) {
	if len(raw) == 0 {
		return members{}, nil
	}
	canonical, err := strictjson.Canonical(raw, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	// Compared in the canonical form: there may be blanks around a null.
	if string(canonical) == "null" {
		return members{}, nil
	}
	args := members{}
	if err := json.Unmarshal(canonical, &args); err != nil {
		return nil, fault.New(fault.InvalidInput, "the arguments must be a JSON object").
			WithNextStep(`Give an object such as {"locator":{"selector":"h1"},"policy_exception_report":{…}}.`)
	}
	return args, nil
}

// invoke makes the call and returns its envelope; onProgress receives its steps.
func (s *Server) invoke(ctx context.Context, name string, args members, onProgress func(string)) dispatch.Envelope {
	respond := func(output any, err error) dispatch.Envelope {
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
		return respond(s.listPrimitives(args))
	case directTool:
		return respond(s.switchDirect(args))
	}
	record, ok := s.catalogue.Public(name)
	if !ok {
		return respond(nil, s.catalogue.NoSuch(name).WithNextStep("primitives.list finds the names by words."))
	}
	s.normalizeReport(name, args)
	if name == dispatch.BatchTool {
		s.normalizeBatch(args)
	}
	if name == tabsTool {
		return respond(s.listTabs(ctx, record, args, onProgress))
	}
	raw, err := primitive.Output(args)
	if err != nil {
		return respond(nil, err)
	}
	asked := 0
	for again := true; ; again = false {
		at, err := s.resolveTarget(ctx, record, raw)
		if err != nil {
			return respond(nil, err)
		}
		e, err := s.send(ctx, at, record, args, onProgress)
		failure := fault.From(err)
		switch {
		case err == nil && asked < maxQuestions:
			asked++
			var repeat bool
			if e, repeat = s.ask(ctx, at.client, e, onProgress); repeat {
				continue
			}
			return e
		case err == nil:
			return e
		case again && failure.Code == fault.TransportFailed && failure.Dispatched == fault.NotDispatched:
			continue // the host ended before the call: its next start takes it
		}
		return dispatch.Envelope{Name: name, Error: failure}
	}
}

// send makes the call at its target.
func (s *Server) send(ctx context.Context, at callTarget, r *primitive.Record, args members, onProgress func(string)) (e dispatch.Envelope, err error) {
	params := control.CallParams{Session: s.session(), Name: r.Name, Target: control.TargetParams{TabID: at.tab}, MaxOutputChars: maxOutputChars}
	if r.Name == activateTool {
		delete(args, "profile") // chosen already
	}
	if params.Arguments, err = primitive.Output(args); err != nil {
		return e, err
	}
	if e, err = at.client.CallWithProgress(ctx, params, dispatch.MayAct(r), onProgress); err != nil {
		return e, err
	}
	s.updateCurrent(ctx, calledNames(r.Name, args), e, at.client)
	return e, nil
}

// switchDirect switches direct primitives off for the retest of a map, and on again.
// The host refuses them; only the switch is here.
func (s *Server) switchDirect(args members) (any, error) {
	var want struct {
		Allowed *bool `json:"allowed"`
	}
	const example = `{"allowed":false} or {"allowed":true}`
	if err := args.decodeInto(directTool, example, &want); err != nil {
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

// session returns the caller with its current rights.
func (s *Server) session() control.SessionParams {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.options.Session
	own.StoredOnly = s.storedOnly
	own.Form = s.hasForm()
	for client := range s.mcp.Sessions() { // one: this process serves one client
		if hello := client.InitializeParams(); hello != nil && hello.ClientInfo != nil {
			own.Client = strings.TrimSpace(hello.ClientInfo.Name + " " + hello.ClientInfo.Version)
		}
	}
	return own
}

// normalizeReport lets a report name the tool as the client knows it, with the
// server's name before it where the client puts one: the host compares it with
// the primitive's own name.
func (s *Server) normalizeReport(name string, args members) {
	report, err := readObject(args[reportMember])
	var intended string
	if err != nil || json.Unmarshal(report["intended_tool"], &intended) != nil {
		return // the host reports what is wrong with it
	}
	if at := strings.LastIndex(intended, "__"); at >= 0 && strings.HasPrefix(intended, "mcp__") {
		intended = intended[at+len("__"):]
	}
	if intended != s.names.Safe(name) {
		return
	}
	report["intended_tool"] = json.RawMessage(`"` + name + `"`)
	if raw, err := primitive.Output(report); err == nil {
		args[reportMember] = raw
	}
}

// listTabs lists the claimed tabs of all browsers.
func (s *Server) listTabs(ctx context.Context, r *primitive.Record, args members, onProgress func(string)) (any, error) {
	if err := args.decodeInto(tabsTool, "{}", &struct{}{}); err != nil {
		return nil, err
	}
	var all []claimedTab
	err := s.hosts.onAll(ctx, func(clients []*control.Client) error {
		for _, client := range clients {
			if err := s.callList(ctx, client, r, args, onProgress); err != nil {
				return err
			}
		}
		var err error
		all, err = s.claimed(ctx, clients)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.markCurrent(all)
	output := map[string]any{"tabs": all, "count": len(all)}
	if len(all) == 0 {
		output["next_step"] = "No tab is handed over: ask the user to open the page and choose Take control of this tab in the extension's popup."
	}
	return output, nil
}

// callList calls the list of one browser, whose host decides about it and logs it as
// any primitive.
func (s *Server) callList(ctx context.Context, client *control.Client, r *primitive.Record, args members, onProgress func(string)) error {
	e, err := s.send(ctx, callTarget{client: client}, r, args, onProgress)
	if err == nil {
		var again bool
		if e, again = s.ask(ctx, client, e, onProgress); again {
			e, err = s.send(ctx, callTarget{client: client}, r, args, onProgress)
		}
	}
	if err == nil && !e.OK {
		return e.Error
	}
	return err
}
