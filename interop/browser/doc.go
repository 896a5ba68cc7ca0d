// Package browser tests the page of Mux.DebugHandler in headless Chromium: what
// it shows, the keyboard, small and large windows, light and dark, 5,000 routes,
// accessibility with axe, and valid HTML with the Nu validator.
//
// It needs chromium, npm and java; npm ci installs axe and the validator in the
// versions of package-lock.json.
package browser
