// Package curbline is Curbline from Go, with its standard library alone: calls of the APIs, and the verification of webhooks.
// Copy this file. Go 1.19 or later.
package curbline

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the time of a signature may be from the clock.
const Tolerance = 5 * time.Minute

// The reasons not to trust a request.
var (
	ErrNoSignature        = errors.New("curbline: the request has no X-Service-Signature")
	ErrMalformedSignature = errors.New("curbline: X-Service-Signature has another form")
	ErrNoMatch            = errors.New("curbline: the signature fits neither the secret nor the body")
	ErrTooOld             = errors.New("curbline: the signature is too far from the clock")
	ErrNotJSON            = errors.New("curbline: the body is no JSON object")
)

var forms = map[string]*regexp.Regexp{
	"reservations":    regexp.MustCompile(`^t=([0-9]{1,12}),v1=([0-9a-f]{64})$`),
	"direct_delivery": regexp.MustCompile(`^()([0-9a-f]{64})$`),
}

// VerifyWebhook returns the event of a webhook, or one of the errors above. The api is "reservations" or "direct_delivery", the body the
// bytes as they arrived, the secrets that of the endpoint and during a rotation also the old one. Direct Delivery signs no time, so its
// webhooks have no age. Ignore a request whose X-Service-Delivery-Id was seen before.
func VerifyWebhook(api string, body []byte, signature string, secrets []string, now time.Time) (map[string]any, error) {
	form, isKnown := forms[api]
	if !isKnown {
		return nil, fmt.Errorf("curbline: there is no API %q", api)
	}
	signature = strings.TrimSpace(signature)
	if signature == "" {
		return nil, ErrNoSignature
	}
	found := form.FindStringSubmatch(signature)
	if found == nil {
		return nil, ErrMalformedSignature
	}
	seconds := found[1]
	given, err := hex.DecodeString(found[2])
	if err != nil {
		return nil, ErrMalformedSignature
	}
	signed := body
	if seconds != "" {
		signed = append([]byte(seconds+"."), body...)
	}
	// Every secret is tried, so that the time does not say which one fits.
	matches := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(signed)
		if hmac.Equal(mac.Sum(nil), given) {
			matches = true
		}
	}
	if !matches {
		return nil, ErrNoMatch
	}
	if seconds != "" {
		at, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, ErrMalformedSignature
		}
		age := now.Sub(time.Unix(at, 0))
		if age > Tolerance || age < -Tolerance {
			return nil, ErrTooOld
		}
	}
	var event map[string]any
	if json.Unmarshal(body, &event) != nil || event == nil {
		return nil, ErrNotJSON
	}
	return event, nil
}

// Error is a refusal of the service.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"error"`
}

func (refused *Error) Error() string {
	return fmt.Sprintf("curbline: %d %s: %s", refused.Status, refused.Code, refused.Message)
}

// Client calls one host under one API key. SiteID is for the Direct Delivery API.
type Client struct {
	BaseURL string
	Key     string
	SiteID  string
	HTTP    *http.Client
}

// Call sends one request and decodes the whole answer. It returns an *Error if the service refuses.
func (client *Client) Call(method, path string, body any, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, strings.TrimRight(client.BaseURL, "/")+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+client.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if client.SiteID != "" {
		request.Header.Set("x-retailer-id", client.SiteID)
	}
	doer := client.HTTP
	if doer == nil {
		doer = &http.Client{Timeout: 30 * time.Second}
	}
	response, err := doer.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		refused := &Error{}
		// An answer of a proxy may be no JSON: the status says enough.
		_ = json.Unmarshal(text, refused)
		refused.Status = response.StatusCode
		return refused
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
