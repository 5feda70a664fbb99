/** Browsers in words, from the user agent of their sessions. */

/** In this order: most browsers also name the ones that they are like. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, "Safari"],
]

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
]

/** `Chrome on macOS`; what is not known is said so. */
export function browserName(userAgent: string): string {
  const nameIn = (names: typeof BROWSERS): string | null =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)]
  if (browser === null) return system === null ? "Unknown browser" : `Unknown browser on ${system}`
  return system === null ? browser : `${browser} on ${system}`
}
