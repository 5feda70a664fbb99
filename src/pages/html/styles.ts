/**
 * Styles of all pages beyond the tokens: bare elements, then styles for reading pages, for cards on phones, and the bar
 * that names the environment.
 */

import { FORCED_COLORS } from "./forced-colors.ts"
import { TOKENS } from "./tokens.ts"

/** The start of every page's style. */
export const BASE_STYLE = `${TOKENS}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--ink); font-family: var(--sans); font-size: var(--t); line-height: 1.5; -webkit-font-smoothing: antialiased; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
code, .mono { font-family: var(--mono); font-size: 0.92em; font-variant-ligatures: none; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; }
summary { cursor: pointer; }
button, input, select, textarea { font: inherit; color: inherit; max-width: 100%; }
button, select, input:not([type="range"], [type="checkbox"], [type="radio"]) {
  min-height: 28px; padding: 0 var(--s2); border: 1px solid var(--edge); border-radius: var(--r1); background: var(--surface); }
input[type="checkbox"], input[type="radio"] { accent-color: var(--accent); }
button { cursor: pointer; }
button:hover:not(:disabled, [aria-pressed="true"], [aria-selected="true"]) { background: var(--sunken); }
button:disabled { color: var(--ink-3); border-color: var(--line); background: var(--sunken); cursor: default; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.scroll { overflow: auto; }
.quiet { color: var(--ink-2); }
.good { color: var(--ok); }
.bad { color: var(--bad); }
.mark { flex: none; vertical-align: middle; }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
${FORCED_COLORS}`

/** The bar on top of a page that says which environment it is about. */
const ENVIRONMENT_STYLE = `
.environment { --tint: var(--sandbox); display: flex; align-items: center; gap: var(--s3); min-height: 32px; padding: 0 var(--s4);
  font-size: var(--t-sm); color: var(--ink-2); background: color-mix(in srgb, var(--tint) 9%, var(--bg)); border-bottom: 1px solid color-mix(in srgb, var(--tint) 55%, var(--bg)); }
.environment.production { --tint: var(--production); }
.environment .badge { padding: 1px var(--s2); border-radius: 4px; background: var(--tint); color: var(--on-accent); font-size: 0.6875rem; font-weight: 700; letter-spacing: 0.06em; }
.environment a { color: inherit; }
.environment .end { margin-left: auto; display: flex; align-items: center; gap: var(--s3); }
`

/** Reading pages: headings, sentences, tables, a verdict. */
export const READING_STYLE = `${BASE_STYLE}${ENVIRONMENT_STYLE}
main { max-width: 90rem; margin: 0 auto; padding: var(--s5) var(--s6); overflow-wrap: anywhere; }
@media (max-width: 720px) { main { padding: var(--s4); } }
h1 { font-size: var(--t-xl); line-height: 1.25; letter-spacing: -0.02em; font-weight: 650; margin: var(--s4) 0; }
h2 { font-size: var(--t-lg); letter-spacing: -0.01em; font-weight: 600; margin: var(--s6) 0 var(--s2); }
h3 { font-size: var(--t); font-weight: 600; margin: var(--s5) 0 var(--s2); }
p { max-width: 75ch; margin: var(--s2) 0; }
button, select, input:not([type="range"], [type="checkbox"], [type="radio"]) { min-height: 36px; padding: 0 var(--s3); }
button { font-weight: 600; font-size: var(--t-sm); }
.scroll { max-height: 80vh; margin: var(--s4) 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
caption { text-align: left; padding: var(--s2); color: var(--ink-2); font-size: var(--t-sm); }
th, td { padding: var(--s2); border-top: 1px solid var(--line); overflow-wrap: normal; font-size: var(--t-sm); font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; background: var(--bg); color: var(--ink-2); font-size: var(--t-xs); font-weight: 500; }
tbody th { font-weight: 500; }
tbody tr:hover { background: var(--sunken); }
td ul { margin: 0; padding: 0; list-style: none; }
time { white-space: nowrap; }
.good, .bad { font-weight: 600; }
.verdict, .problem { padding: var(--s3) var(--s4); background: var(--ok-soft); border-radius: var(--r1); }
.verdict.failed, .problem { background: var(--bad-soft); }
`

/** Pages that a link opens on a phone: a centred card, and controls large enough for fingers. */
export const CARD_STYLE = `${BASE_STYLE}${ENVIRONMENT_STYLE}
body { min-height: 100dvh; display: flex; flex-direction: column; }
.brand { display: flex; align-items: center; justify-content: center; gap: var(--s3); margin: 40px auto var(--s6); font-weight: 650; font-size: 1.0625rem; letter-spacing: -0.01em; color: var(--ink); text-decoration: none; }
main { width: calc(100% - 2 * var(--s4)); max-width: 416px; margin: 0 auto; padding: var(--s6); background: var(--surface); border: 1px solid var(--line); border-radius: var(--r3); box-shadow: var(--shadow); overflow-wrap: anywhere; }
.foot { margin: auto auto 0; padding: var(--s6) var(--s4) var(--s5); font-size: var(--t-xs); color: var(--ink-2); }
h1 { font-size: var(--t-xl); line-height: 1.25; letter-spacing: -0.02em; font-weight: 650; margin: 0 0 var(--s1); }
h2 { font-size: var(--t); font-weight: 600; margin: var(--s5) 0 var(--s1); }
p { margin: var(--s1) 0 var(--s4); color: var(--ink-2); }
p.quiet, td p { font-size: var(--t-sm); margin: var(--s2) 0 0; }
form + p, form + p + p { margin-top: var(--s4); }
p strong, .big { color: var(--ink); font-weight: 600; }
ul { padding-left: var(--s5); margin: var(--s2) 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: var(--s2) var(--s4); margin: var(--s4) 0; font-size: var(--t-sm); }
dt { color: var(--ink-2); }
dd { margin: 0; }
th, td { padding: var(--s2) 0; border-top: 1px solid var(--line); font-size: var(--t-sm); font-variant-numeric: tabular-nums; }
th { font-weight: 500; }
.big { font-size: var(--t-2xl); letter-spacing: -0.03em; line-height: 1.2; margin: 0; }
label { display: block; font-size: var(--t-sm); font-weight: 600; margin: var(--s4) 0 6px; }
label:has(> [type="radio"], > [type="checkbox"]) { display: flex; align-items: center; gap: var(--s2); margin: 0; padding: var(--s3) 0; border-top: 1px solid var(--line); font-size: var(--t); }
fieldset { border: 0; margin: var(--s4) 0 0; padding: 0; }
legend { font-weight: 600; padding: 0 0 var(--s2); }
input:is([type="password"], [type="tel"], [type="text"]) { width: 100%; min-height: 48px; padding: 0 var(--s3); font-size: 1rem; }
button { width: 100%; min-height: 48px; margin-top: var(--s5); font-size: 1rem; font-weight: 600; background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
button:hover:not(:disabled) { background: color-mix(in srgb, var(--accent) 88%, var(--ink)); }
button.secondary { margin-top: var(--s3); background: var(--surface); color: var(--ink); border-color: var(--edge); }
button.secondary:hover:not(:disabled) { background: var(--sunken); }
.problem { margin: 0 0 var(--s4); padding: var(--s3) var(--s4); background: var(--bad-soft); border-radius: var(--r1); color: var(--ink); }
@media (max-width: 720px) {
  body { background: var(--bg); }
  .brand { justify-content: flex-start; width: 100%; margin: var(--s5) 0; padding: 0 20px; }
  main { width: 100%; padding: 0 20px; border: 0; box-shadow: none; background: none; }
  .foot { margin-left: 0; padding-left: 20px; }
}
`
