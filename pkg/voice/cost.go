package voice

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

//go:embed prices.json
var pricesFile []byte

// Prices are US dollars for a million tokens, as the provider published them on
// Date.
type Prices struct {
	Model       string  `json:"model"` // a name, or the beginning of one
	Date        string  `json:"date"`
	TextIn      float64 `json:"text_in"`
	TextCached  float64 `json:"text_cached"`
	TextOut     float64 `json:"text_out"`
	AudioIn     float64 `json:"audio_in"`
	AudioCached float64 `json:"audio_cached"`
	AudioOut    float64 `json:"audio_out"`
	ImageIn     float64 `json:"image_in"`
	ImageCached float64 `json:"image_cached"`
}

var prices = sync.OnceValue(func() []Prices {
	var list []Prices
	if err := json.Unmarshal(pricesFile, &list); err != nil {
		panic("voice: prices.json: " + err.Error()) // embedded: a test reads it
	}
	return list
})

// PricesOf returns the prices of a model: those of the longest name that is a prefix
// of its own. A model that is not in the table has the highest prices, so that a
// spending limit holds.
func PricesOf(model string) Prices {
	var best Prices
	dearest := prices()[0]
	for _, p := range prices() {
		if strings.HasPrefix(model, p.Model) && len(p.Model) > len(best.Model) {
			best = p
		}
		if p.AudioOut > dearest.AudioOut {
			dearest = p
		}
	}
	if best.Model == "" {
		return dearest
	}
	return best
}

// cacheMissTokens is from how many input tokens on a response without a cached one is
// worth a warning.
const cacheMissTokens = 4000

// Cost is what a session has cost so far, in US dollars.
type Cost struct {
	SessionUSD float64 `json:"session_usd"`
	LastUSD    float64 `json:"last_usd"` // of the last response
	Responses  int     `json:"responses"`
	// Cache is hit, partial, miss or none, for the last response; a miss on a long
	// conversation makes it dear.
	Cache  string `json:"cache"`
	Prices string `json:"prices_of"` // the date of the price table
}

// Add counts a response.
func (c *Cost) Add(p Prices, u Usage) {
	const million = 1e6
	cost := func(tokens, cached int, price, cachedPrice float64) float64 {
		return (float64(tokens-cached)*price + float64(cached)*cachedPrice) / million
	}
	c.LastUSD = cost(u.TextIn, u.TextCached, p.TextIn, p.TextCached) +
		cost(u.AudioIn, u.AudioCached, p.AudioIn, p.AudioCached) +
		cost(u.ImageIn, u.ImageCached, p.ImageIn, p.ImageCached) +
		(float64(u.TextOut)*p.TextOut+float64(u.AudioOut)*p.AudioOut)/million
	c.SessionUSD += c.LastUSD
	c.Responses++
	in, cached := u.TextIn+u.AudioIn+u.ImageIn, u.TextCached+u.AudioCached+u.ImageCached
	switch {
	case in == 0:
		c.Cache = "none"
	case 2*cached >= in:
		c.Cache = "hit"
	case cached == 0 && in >= cacheMissTokens:
		c.Cache = "miss"
	case cached > 0:
		c.Cache = "partial"
	default:
		c.Cache = "none"
	}
}

// addCost adds the cost of a response and ends the session at its limit.
func (s *Session) addCost(e ResponseEnded) {
	s.state.Model = cmp.Or(e.Model, s.state.Model)
	prices := e.Prices
	if prices == nil {
		prices = new(PricesOf(s.options.Setup.Model))
	}
	s.state.Cost.Add(*prices, e.Usage)
	s.options.Observer.StateChanged(s.state)
	s.checkSpending()
}

// AddCost counts an answer that was asked for beside the conversation.
func (s *Session) AddCost(model string, prices Prices, u Usage) {
	s.post(func() { s.addCost(ResponseEnded{Model: model, Prices: &prices, Usage: u}) })
}

// LimitSpending sets the session's spending limit in US dollars; 0 means none.
func (s *Session) LimitSpending(usd float64) {
	s.post(func() {
		s.options.SpendingLimit = usd
		s.checkSpending()
	})
}

func (s *Session) checkSpending() {
	if limit := s.options.SpendingLimit; limit > 0 && s.state.Cost.SessionUSD >= limit {
		s.fail(fault.New(fault.SpendingLimitReached, "the session has cost $%.2f, which is your limit of $%.2f", s.state.Cost.SessionUSD, limit))
	}
}
