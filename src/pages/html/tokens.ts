/**
 * The design tokens of every page: colours in light and dark, type, distances on a grid of 8 px. The portal, the inspector,
 * the service's own pages, fleet reports and pictures of machines use only these values. `/design` shows them.
 */

const LIGHT = {
  // Grounds: the page, cards and tables, side bars and code.
  bg: "#fafaf8",
  surface: "#ffffff",
  sunken: "#f3f3ef",
  // Hairlines; borders of fields and buttons, which have a contrast of 3:1.
  line: "#e4e3dd",
  edge: "#8a8f99",
  // Text in three strengths.
  ink: "#16181d",
  "ink-2": "#565b66",
  "ink-3": "#6a6f7a",
  accent: "#2b59e0",
  "accent-soft": "#eaf0ff",
  "on-accent": "#ffffff",
  brand: "#f2b705",
  focus: "#2b59e0",
  // States, each with a soft ground.
  ok: "#15783a",
  "ok-soft": "#e7f6ec",
  wait: "#a15c00",
  "wait-soft": "#fff3dc",
  bad: "#c2261d",
  "bad-soft": "#fdecea",
  move: "#2b59e0",
  "move-soft": "#eaf0ff",
  idle: "#5f6672",
  "idle-soft": "#eeeeec",
  // One hue for each kind of actor, the same on every page.
  "k-reservation": "#2b59e0",
  "k-bot": "#7c3aed",
  "k-runner": "#0f766e",
  "k-delivery": "#4338ca",
  "k-vehicle": "#c2410c",
  "k-webhook": "#57606a",
  "k-open-link": "#be185d",
  "k-courier": "#965a06",
  sandbox: "#b45309",
  production: "#14532d",
  // Lines and bars of one plot; each also has a name or a pattern.
  "series-1": "#2b59e0",
  "series-2": "#a15c00",
  "series-3": "#15783a",
  "series-4": "#7c3aed",
  land: "#f3f3ef",
  street: "#e0e0d8",
  water: "#c9deee",
  // The curb from above.
  road: "#ecece6",
  stripe: "#ffffff",
} as const

type Color = keyof typeof LIGHT

const DARK: Readonly<Record<Color, string>> = {
  bg: "#0f1115",
  surface: "#171a21",
  sunken: "#12151b",
  line: "#2a2f3a",
  edge: "#656d7c",
  ink: "#f2f3f5",
  "ink-2": "#aab0bc",
  "ink-3": "#8a919e",
  accent: "#7da2ff",
  "accent-soft": "#1b2748",
  "on-accent": "#0f1115",
  brand: "#f6c945",
  focus: "#9db9ff",
  ok: "#5fd28a",
  "ok-soft": "#14301f",
  wait: "#f3b65a",
  "wait-soft": "#36270e",
  bad: "#ff8a80",
  "bad-soft": "#3b1715",
  move: "#7da2ff",
  "move-soft": "#1b2748",
  idle: "#9aa1ad",
  "idle-soft": "#232731",
  "k-reservation": "#7da2ff",
  "k-bot": "#b794ff",
  "k-runner": "#4fd1c5",
  "k-delivery": "#a5a8ff",
  "k-vehicle": "#ffa26b",
  "k-webhook": "#a7b0bb",
  "k-open-link": "#ff8ac2",
  "k-courier": "#f0c75e",
  sandbox: "#f59e0b",
  production: "#4ade80",
  "series-1": "#7da2ff",
  "series-2": "#f3b65a",
  "series-3": "#5fd28a",
  "series-4": "#b794ff",
  land: "#12151b",
  street: "#2b313b",
  water: "#27465e",
  road: "#0c0e12",
  stripe: "#2f3541",
}

const SIZES = {
  sans: '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif',
  mono: '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  // Distances.
  s1: "4px",
  s2: "8px",
  s3: "12px",
  s4: "16px",
  s5: "24px",
  s6: "32px",
  s7: "48px",
  s8: "64px",
  // Corners.
  r1: "6px",
  r2: "10px",
  r3: "14px",
  // Sizes of text; relative, so that a reader's own setting counts.
  "t-xs": "0.75rem",
  "t-sm": "0.8125rem",
  t: "0.9375rem",
  "t-lg": "1.125rem",
  "t-xl": "1.5rem",
  "t-2xl": "2rem",
  // Heights of controls on a desk; a phone's are larger.
  control: "36px",
  "control-small": "28px",
  // Height and colour of the bar that names the environment.
  bar: "32px",
  tint: "var(--sandbox)",
  // A row of the inspector's lists.
  row: "24px",
  shadow: "0 1px 2px rgb(20 23 31 / 0.06), 0 4px 16px rgb(20 23 31 / 0.06)",
  "shadow-high": "0 4px 12px rgb(20 23 31 / 0.12), 0 16px 48px rgb(20 23 31 / 0.18)",
  // The mark and short messages look the same in both schemes.
  "mark-ground": "#16181d",
  "mark-edge": "#3a404d",
  "mark-curb": "#f2b705",
  "mark-stall": "#ffffff",
  backdrop: "rgb(15 17 21 / 0.5)",
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

/** The colours of one scheme, whichever the reader prefers: of the frame around a page. */
export function schemeColorsFor(selector: string, scheme: "dark" | "light"): string {
  const colors = scheme === "dark" ? DARK : LIGHT
  return `${selector} { color-scheme: ${scheme}; ${declared(Object.entries(colors))} }\n`
}

/** The light colours in any scheme, such as on paper. */
export function lightColorsFor(selector: string): string {
  return schemeColorsFor(selector, "light")
}

function declared(variables: readonly (readonly [name: string, value: string])[]): string {
  return variables.map(([name, value]) => `--${name}: ${value};`).join(" ")
}

/** The runner's page: white or black ground, and text with a contrast of 7:1, for a phone in sunlight. */
const SUNLIGHT_LIGHT = {
  bg: "#ffffff",
  surface: "#ffffff",
  sunken: "#f3f3f1",
  line: "#c9cbd1",
  edge: "#5a5f6b",
  ink: "#08090c",
  "ink-2": "#3c404a",
  "ink-3": "#4a4f5a",
  accent: "#1e45c4",
  focus: "#1e45c4",
  ok: "#0e5c2b",
  wait: "#744200",
  bad: "#9d1510",
  move: "#1e45c4",
  idle: "#474c56",
} as const satisfies Partial<Record<Color, string>>

const SUNLIGHT_DARK: Readonly<Record<keyof typeof SUNLIGHT_LIGHT, string>> = {
  bg: "#0a0b0e",
  surface: "#0a0b0e",
  sunken: "#15171c",
  line: "#3a3f4a",
  edge: "#9399a5",
  ink: "#ffffff",
  "ink-2": "#c9cdd6",
  "ink-3": "#b9bec8",
  accent: "#93b1ff",
  focus: "#b8ccff",
  ok: "#6fe09c",
  wait: "#f8c478",
  bad: "#ffa59d",
  move: "#93b1ff",
  idle: "#b4bac5",
}

/** They replace the usual colours of a page. */
export const SUNLIGHT_TOKENS =
  `:root { ${declared(Object.entries(SUNLIGHT_LIGHT))} }\n` +
  `@media (prefers-color-scheme: dark) { :root { ${declared(Object.entries(SUNLIGHT_DARK))} } }\n`

/** All tokens, for a whole page. */
export const TOKENS = `${colorsFor(":root")}:root { ${declared(Object.entries(SIZES))} }\n`

/** The mark: a curb that turns, and a stall beside it. The same in both schemes. */
export const MARK =
  '<svg class="mark" viewBox="0 0 28 28" width="28" height="28" aria-hidden="true">' +
  `<rect x="0.5" y="0.5" width="27" height="27" rx="6.5" fill="${SIZES["mark-ground"]}" stroke="${SIZES["mark-edge"]}"/>` +
  `<path d="M18.5 6.5v9a4 4 0 0 1-4 4h-9" fill="none" stroke="${SIZES["mark-curb"]}" stroke-width="3.5" stroke-linecap="round"/>` +
  `<circle cx="21.5" cy="21" r="2.5" fill="${SIZES["mark-stall"]}"/></svg>`

/** The mark as a picture of its own, for the browser's tab. */
export const FAVICON = MARK.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
