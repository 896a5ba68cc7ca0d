// Package browser tests the page of inspect.Handler in headless Chromium: its
// content, keyboard control, small and large windows, light and dark mode,
// 5,000 routes, accessibility with axe, and valid HTML with the Nu validator.
// TestFirefox checks the most important of it in Firefox. The package
// also opens single-page applications that Mux.ServeSPA serves, and the pages of
// the documentation site.
//
// It requires chromium, Firefox, npm, java and, for the site, Python. npm ci
// installs axe and the validator with the versions in package-lock.json.
package browser
