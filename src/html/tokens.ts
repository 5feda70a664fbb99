/**
 * The design tokens of every page: colours in light and dark, type, distances. The inspector, the service's own pages,
 * fleet reports and pictures of machines use only these colours.
 */

const LIGHT = {
  paper: "#ffffff",
  raised: "#f6f8fa",
  ink: "#1b1f24",
  quiet: "#57606a",
  line: "#c3cad1",
  edge: "#6e7781",
  accent: "#0550ae",
  "accent-soft": "#ddf0ff",
  "on-accent": "#ffffff",
  good: "#116329",
  bad: "#a40e26",
  "bad-soft": "#ffebe9",
  // Lines and bars of one plot; each also has a name or a pattern.
  "series-1": "#0550ae",
  "series-2": "#8a4b00",
  "series-3": "#116329",
  "series-4": "#7a2a8c",
  land: "#eef2ec",
  water: "#c9deee",
} as const

type Color = keyof typeof LIGHT

const DARK: Readonly<Record<Color, string>> = {
  paper: "#0d1117",
  raised: "#161b22",
  ink: "#e6edf3",
  quiet: "#9da7b1",
  line: "#3d444d",
  edge: "#8b949e",
  accent: "#79c0ff",
  "accent-soft": "#12294a",
  "on-accent": "#0d1117",
  good: "#7ee787",
  bad: "#ff9492",
  "bad-soft": "#3c1618",
  "series-1": "#79c0ff",
  "series-2": "#f0b36a",
  "series-3": "#7ee787",
  "series-4": "#d9a4ec",
  land: "#20272b",
  water: "#27465e",
}

/** Text is small on a page with many panels, and large on one for phones. */
const SIZES = {
  sans: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif',
  mono: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Courier New", monospace',
  small: "0.75rem",
  usual: "0.8125rem",
  large: "1rem",
  larger: "1.25rem",
  title: "1.5rem",
  gap: "0.5rem",
  space: "1rem",
  row: "24px",
  corner: "4px",
} as const

/** The colours as CSS variables of a selector, in the colour scheme that the reader prefers. */
export function colorsFor(selector: string, names = Object.keys(LIGHT) as readonly Color[]): string {
  const from = (scheme: Readonly<Record<Color, string>>): string =>
    declared(names.map((name) => [name, scheme[name]] as const))
  return (
    `${selector} { color-scheme: light dark; ${from(LIGHT)} }\n` +
    `@media (prefers-color-scheme: dark) { ${selector} { ${from(DARK)} } }\n`
  )
}

function declared(variables: readonly (readonly [name: string, value: string])[]): string {
  return variables.map(([name, value]) => `--${name}: ${value};`).join(" ")
}

/** All tokens, for a whole page. */
export const TOKENS = `${colorsFor(":root")}:root { ${declared(Object.entries(SIZES))} }\n`
