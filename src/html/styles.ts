/** Styles of all pages beyond the tokens: bare elements, then styles for reading pages, and for phones. */

import { TOKENS } from "./tokens.ts"

/** The start of every page's style. */
export const BASE_STYLE = `${TOKENS}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font-family: var(--sans); }
a { color: var(--accent); text-underline-offset: 0.15em; }
code, .mono { font-family: var(--mono); font-size: var(--small); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; }
summary { cursor: pointer; }
button, input, select { font: inherit; color: inherit; max-width: 100%; }
button, select, input:not([type="range"], [type="checkbox"], [type="radio"]) {
  min-height: 26px; padding: 0 var(--gap); border: 1px solid var(--edge); border-radius: var(--corner); background: var(--paper); }
button { cursor: pointer; }
button:hover:not(:disabled, [aria-pressed="true"], [aria-selected="true"]) { background: var(--raised); }
button:disabled { color: var(--quiet); border-color: var(--line); cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.scroll { overflow: auto; }
.quiet { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`

/** Reading pages: headings, sentences, tables, a verdict. */
export const READING_STYLE = `${BASE_STYLE}
body { font-size: var(--large); line-height: 1.5; }
main { max-width: 90rem; margin: 0 auto; padding: var(--space); overflow-wrap: anywhere; }
h1 { font-size: var(--title); line-height: 1.25; margin: var(--space) 0; }
h2 { font-size: var(--larger); margin: 2rem 0 var(--gap); }
h3 { font-size: 1.125rem; margin: 1.5rem 0 var(--gap); }
p { max-width: 75ch; margin: var(--gap) 0; }
button, select, input:not([type="range"], [type="checkbox"], [type="radio"]) { min-height: 36px; }
.scroll { max-height: 80vh; margin: var(--space) 0; border: 1px solid var(--line); border-radius: var(--corner); }
caption { text-align: left; padding: var(--gap); color: var(--quiet); }
th, td { padding: 0.25rem var(--gap); border-top: 1px solid var(--line); overflow-wrap: normal; font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; background: var(--raised); }
tbody th { font-weight: 400; }
td ul { margin: 0; padding: 0; list-style: none; }
time { white-space: nowrap; }
.good, .bad { font-weight: 600; }
.verdict, .problem { border-left: 8px solid var(--good); padding: var(--gap) var(--space); background: var(--raised); border-radius: var(--corner); }
.verdict.failed, .problem { border-color: var(--bad); }
.problem { background: var(--bad-soft); }
`

/** Pages that a link opens on a phone: one column, and controls large enough for fingers. */
export const PHONE_STYLE = `${READING_STYLE}
body { font-size: 1.0625rem; }
main { max-width: 34rem; padding: var(--title) var(--space); }
.big { font-size: var(--larger); font-weight: 600; }
input[type="tel"], input[type="text"] { width: 100%; padding: 0.75rem; font-size: var(--larger); border-width: 2px; }
button { width: 100%; margin-top: var(--space); padding: 0.875rem; font-weight: 600; background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
button:hover:not(:disabled) { background: var(--accent); text-decoration: underline; }
`
