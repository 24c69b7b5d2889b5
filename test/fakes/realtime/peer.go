package realtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pion/webrtc/v4"
)

// Events is the name of the data channel that the service wants in an offer.
const Events = "oai-events"

// Peer is the service's end of a call with a browser, on loopback only.
type Peer struct {
	t       Tester
	conn    *webrtc.PeerConnection
	voice   *webrtc.TrackLocalStaticRTP
	packets chan int // payload bytes of each packet of the microphone's
	echo    atomic.Bool
	opened  chan struct{}
	ended   chan struct{}
	ending  sync.Once
}

// Take takes a browser's offer and returns the answer. The call ends with the test.
func Take(t Tester, offer string) (*Peer, string) {
	t.Helper()
	p, answer, err := take(t, offer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.HangUp)
	return p, answer
}

func take(t Tester, offer string) (_ *Peer, answer string, err error) {
	media := &webrtc.MediaEngine{}
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1"}
	if err := media.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: opus, PayloadType: 111}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, "", err
	}
	var setting webrtc.SettingEngine
	setting.SetIncludeLoopbackCandidate(true)
	setting.SetInterfaceFilter(func(name string) bool { return strings.HasPrefix(name, "lo") })
	setting.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	conn, err := webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithSettingEngine(setting)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, "", err
	}
	p := &Peer{t: t, conn: conn, packets: make(chan int, 4096), opened: make(chan struct{}), ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}()
	if p.voice, err = webrtc.NewTrackLocalStaticRTP(opus, "voice", "service"); err != nil {
		return nil, "", err
	}
	if _, err := conn.AddTrack(p.voice); err != nil {
		return nil, "", err
	}
	conn.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { p.listen(track) })
	conn.OnDataChannel(func(c *webrtc.DataChannel) {
		if c.Label() != Events {
			t.Errorf("the browser opened the channel %q", c.Label())
		}
		c.OnOpen(func() { close(p.opened) })
		c.OnClose(p.over)
	})
	conn.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed {
			p.over()
		}
	})
	if err := conn.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return nil, "", fmt.Errorf("the offer: %w", err)
	}
	gathered := webrtc.GatheringCompletePromise(conn)
	local, err := conn.CreateAnswer(nil)
	if err != nil {
		return nil, "", err
	}
	if err := conn.SetLocalDescription(local); err != nil {
		return nil, "", err
	}
	<-gathered
	return p, conn.LocalDescription().SDP, nil
}

// listen takes what the microphone sends.
func (p *Peer) listen(track *webrtc.TrackRemote) {
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return // the call is over
		}
		select {
		case p.packets <- len(packet.Payload):
		default: // no test has looked for long; what it misses is the past
		}
		if p.echo.Load() {
			// A browser that is gone receives nothing; some tests are about that.
			_ = p.voice.WriteRTP(packet)
		}
	}
}

// Echo sends the browser its microphone's sound.
func (p *Peer) Echo() { p.echo.Store(true) }

// Opened waits until the channel for events is open.
func (p *Peer) Opened(ctx context.Context) {
	p.t.Helper()
	select {
	case <-p.opened:
	case <-ctx.Done():
		p.t.Fatal("the channel for events did not open")
	}
}

// Loudest waits for the next packets of the microphone's and returns the bytes of
// the largest one, which distinguishes sound from silence.
func (p *Peer) Loudest(ctx context.Context, packets int) int {
	p.t.Helper()
	for len(p.packets) > 0 {
		<-p.packets
	}
	largest := 0
	for i := range packets {
		select {
		case size := <-p.packets:
			largest = max(largest, size)
		case <-ctx.Done():
			p.t.Fatalf("only %d of %d packets came from the microphone", i, packets)
		}
	}
	return largest
}

// Ended is closed when either side has ended the call.
func (p *Peer) Ended() <-chan struct{} { return p.ended }

// HangUp ends the call.
func (p *Peer) HangUp() {
	p.over()
	if err := p.conn.Close(); err != nil {
		p.t.Error(err)
	}
}

func (p *Peer) over() { p.ending.Do(func() { close(p.ended) }) }
