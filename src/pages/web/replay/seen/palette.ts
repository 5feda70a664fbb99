/** The design's colours for what is drawn on a canvas, read again when the reader's scheme changes. */

const NAMES = [
  "accent",
  "accent-soft",
  "bad",
  "bad-soft",
  "bg",
  "brand",
  "edge",
  "focus",
  "idle",
  "ink",
  "ink-2",
  "ink-3",
  "k-bot",
  "k-delivery",
  "k-open-link",
  "k-runner",
  "k-vehicle",
  "land",
  "line",
  "ok",
  "on-accent",
  "street",
  "sunken",
  "surface",
  "wait",
] as const

export type Palette = Readonly<Record<(typeof NAMES)[number], string>>

/** From the style of the whole page. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  return paletteFrom((name) => style.getPropertyValue(`--${name}`).trim())
}

export function paletteFrom(read: (name: string) => string): Palette {
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Palette
}

/** A colour over another one, as if it were so opaque; both as `#rrggbb`. */
export function mixed(color: string, ground: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, other] = [color, ground].map((text) => Number.parseInt(text.slice(at, at + 2), 16))
    return Math.round((one ?? 0) * share + (other ?? 0) * (1 - share))
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`
}
