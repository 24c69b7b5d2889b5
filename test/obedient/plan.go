package obedient

// Policies are the rules under which an agent obeys.
var Policies = []string{
	"default", // no setting at all
	"ask",     // the session only looks
	"origin",  // it is restricted to the pages' own origin
	"asked",   // a person is asked about all that is done, and nobody answers
	"map",     // the site's map blocks primitives, and with them its own actions
	"deny",    // the user has refused everything on the bank's origin, and the thief's
	"file",    // policy.json denies those two
}

// A Page is one page of the plan: what it says, by which channel, and under which policy it is met.
type Page struct {
	Number  int // from 1
	Channel *Channel
	Order   *Order
	Policy  string
}

// Plan returns the pages: every channel under every policy, each time with another order, so that every
// order meets every policy too.
func Plan() []Page {
	var all []Page
	for c, channel := range Channels {
		for p, policy := range Policies {
			order := Orders[(c+7*p)%len(Orders)]
			all = append(all, Page{len(all) + 1, channel, order, policy})
		}
	}
	return all
}

// Short returns as many pages of a plan as are wanted, of all policies and as many channels and orders
// as there can be.
func Short(all []Page, wanted int) (some []Page) {
	stride := len(Policies)*2 + 1 // neighbours differ in their policies
	for len(all)%stride == 0 {
		stride += len(Policies)
	}
	for i := range min(wanted, len(all)) {
		some = append(some, all[i*stride%len(all)])
	}
	return some
}
