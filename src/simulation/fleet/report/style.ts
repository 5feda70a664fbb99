/** The style rules of a report, in addition to those of every page: charts, their players, and paper. */

import { lightColorsFor } from "../../../pages/html/tokens.ts"

/** Swatches of the legend for the colours that states have. */
const SWATCHES = ["series-1", "series-2", "series-3", "series-4", "k-bot", "bad", "edge", "line"]
  .map(
    (color) =>
      `.swatch.${color}.full { background: var(--${color}); } ` +
      `.swatch.${color}.striped { background: repeating-linear-gradient(-45deg, var(--${color}) 0 2px, transparent 2px 5px); box-shadow: inset 0 0 0 1px var(--${color}); } ` +
      `.swatch.${color}.thin { height: 4px; background: var(--${color}); }`,
  )
  .join("\n")

const CHARTS = `
svg { max-width: 100%; height: auto; display: block; }
svg text { fill: var(--ink-2); font: 12px var(--sans); font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--line); }
svg .case { fill: var(--ink); font-size: 13px; font-weight: 500; }
svg .value { fill: var(--ink); font-size: 13px; font-weight: 650; }
svg :is(.case, .value) { paint-order: stroke; stroke: var(--bg); stroke-width: 3px; }
svg .dot { fill: var(--ink-3); opacity: 0.4; }
svg .between { fill: none; stroke: var(--ink-3); stroke-dasharray: 2 4; }
svg .limit { stroke: var(--ink); stroke-width: 1.5; }
svg .limit-name { fill: var(--ink); font-weight: 650; paint-order: stroke; stroke: var(--bg); stroke-width: 3px; }
svg .zero { stroke: var(--ink); stroke-width: 1.5; }
svg .keeps { fill: var(--ok-soft); opacity: 0.55; }
svg :is(.ok, .wait, .bad) line { stroke-width: 2.5; }
svg .ok line { stroke: var(--ok); } svg .ok :is(.mark-shape, rect) { fill: var(--ok); } svg .ok .value { fill: var(--ok); }
svg .wait line { stroke: var(--wait); } svg .wait :is(.mark-shape, rect) { fill: var(--wait); } svg .wait .value { fill: var(--wait); }
svg .bad line { stroke: var(--bad); } svg .bad :is(.mark-shape, rect) { fill: var(--bad); } svg .bad .value { fill: var(--bad); }
svg .p50 { fill: var(--series-1); } svg .p95 { fill: var(--series-1); opacity: 0.3; }
svg .use { fill: var(--series-1); opacity: 0.75; } svg .queue { fill: var(--series-2); opacity: 0.8; }
svg .heat { fill: var(--series-1); } svg .few { fill: none; stroke: var(--line); stroke-dasharray: 3 3; } svg .over { fill: none; stroke: var(--bad); stroke-width: 1.5; }
svg .full { stroke: var(--ink-2); stroke-dasharray: 5 4; }
svg .less { fill: var(--series-1); } svg .more { fill: var(--series-2); }
svg .whisker { stroke: var(--ink); stroke-width: 1.5; }
svg.margin { width: 48px; max-width: none; } svg.margin line { stroke: var(--ink-3); stroke-width: 1; }
svg.margin .cut { fill: none; stroke: var(--bg); stroke-width: 3; } svg.margin.ok rect { fill: var(--ok); } svg.margin.wait rect { fill: var(--wait); } svg.margin.bad rect { fill: var(--bad); }
#replay-show { min-height: 372px; margin: var(--s4) 0; }
@media print { .replay-part { display: none; } }
canvas { width: 100%; display: block; }
/* The canvas is as high as what is seen of its rows. */
.rows { overflow-y: auto; }
.rows canvas { position: sticky; top: 0; }
`

const PAPER = `
@media print {
  .top, .said, .report-bar, .files, #figures { display: none; }
  main { max-width: none; padding: 0; } .answer { padding-top: 0; }
  section { break-inside: auto; } h2, h3 { break-after: avoid; } svg, tr, .advice { break-inside: avoid; }
  .scroll { max-height: none; overflow: visible; border: 0; } thead th { position: static; }
  .pair { display: block; } pre { white-space: pre-wrap; } details:not([open]) { display: none; }
  .wide { display: block !important; } .parts .wide-cell { display: table-cell; } .narrow { display: none !important; }
  a { color: inherit; text-decoration: none; }
}
`

export const REPORT_STYLE = `
.report-bar { display: flex; align-items: center; gap: var(--s3); min-height: 32px; padding: 0 var(--s5); font-size: var(--t-sm); color: var(--ink-2); background: var(--sunken); border-bottom: 1px solid var(--line); }
.report-bar .badge { padding: 1px var(--s2); border-radius: 4px; background: var(--idle); color: var(--on-accent); font-size: 0.6875rem; font-weight: 700; letter-spacing: 0.06em; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s5); min-height: 48px; padding: var(--s2) var(--s5); background: var(--surface); border-bottom: 1px solid var(--line); }
.top .name { display: flex; align-items: center; gap: var(--s3); font-weight: 650; }
.top nav { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); font-size: var(--t-sm); }
.top nav a { color: var(--ink-2); text-decoration: none; padding: var(--s1) 0; } .top nav a:hover { color: var(--ink); text-decoration: underline; }
main { max-width: 90rem; padding: 0 var(--s7) var(--s8); }
section { padding: var(--s5) 0; border-bottom: 1px solid var(--line); scroll-margin-top: var(--s4); }
section:last-child { border-bottom: 0; }
section > h2:first-child, section > div > h2:first-child { margin-top: 0; }
.answer { padding: var(--s6) 0; } .answer h1 { font-size: var(--t-2xl); line-height: 1.2; letter-spacing: -0.025em; margin: var(--s3) 0; max-width: 34ch; max-width: min(100%, 60rem); }
.answer .reason { font-size: 1rem; color: var(--ink-2); margin: var(--s1) 0; max-width: 90ch; }
.about { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s3); max-width: none; margin: 0; }
.advice { margin: var(--s3) 0 0; max-width: 90ch; }
.pill { display: inline-flex; align-items: center; gap: 4px; min-height: 22px; padding: 1px var(--s2); border-radius: 11px; font-size: var(--t-xs); font-weight: 600; white-space: nowrap; }
.pill svg { flex: none; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; }
.pill.ok { color: var(--ok); background: var(--ok-soft); } .pill.wait { color: var(--wait); background: var(--wait-soft); } .pill.bad { color: var(--bad); background: var(--bad-soft); }
.pair { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: var(--s7); }
.multiples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: var(--s2) var(--s6); }
.pair > div > h3:first-child { margin-top: 0; }
.multiples h3 { margin: var(--s3) 0 var(--s1); text-transform: capitalize; }
.legend { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s1) var(--s3); font-size: var(--t-sm); color: var(--ink-2); max-width: none; }
.look { display: inline-flex; align-items: center; gap: 6px; }
.swatch { display: inline-block; width: 16px; height: 12px; border-radius: 2px; }
.swatch.p50, .swatch.less { background: var(--series-1); } .swatch.p95 { background: color-mix(in srgb, var(--series-1) 30%, transparent); }
.swatch.use { background: color-mix(in srgb, var(--series-1) 75%, transparent); } .swatch.queue { background: color-mix(in srgb, var(--series-2) 80%, transparent); } .swatch.more { background: var(--series-2); }
${SWATCHES}
.said { min-height: 1.5em; font-size: var(--t-sm); font-weight: 600; margin: 0; }
.margins td, .margins th { white-space: nowrap; vertical-align: middle; } .margins :is(tbody th, .promise) { white-space: normal; overflow-wrap: anywhere; } .margins .promise { min-width: 15ch; } .margins tbody th { min-width: 9ch; } .margins .best { background: var(--accent-soft); } .margins .best th { box-shadow: inset 3px 0 0 var(--accent); }
.parts :is(td, th) { vertical-align: top; } .parts tbody th { font-weight: 650; overflow-wrap: anywhere; } .parts .second { font-size: var(--t-xs); font-weight: 400; color: var(--ink-2); } .parts .second:not(.narrow) { display: block; }
.parts .says { overflow-wrap: anywhere; } .parts .says .pill { margin-right: var(--s1); } .parts .broken { background: var(--bad-soft); } .parts .broken .pill.bad { background: var(--bg); }
#costs :is(td, th) { white-space: nowrap; }
.margins .best .quiet { color: var(--ink-2); }
.number { font-weight: 650; } td.ok { color: var(--ok); } td.wait { color: var(--wait); } td.bad { color: var(--bad); }
.files { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s3); margin: 0 0 0 auto; }
.files :is(a, button) { display: inline-flex; align-items: center; min-height: 32px; padding: 0 var(--s3); border: 1px solid var(--edge); border-radius: var(--r1); color: var(--ink); background: var(--surface); font-size: var(--t-sm); font-weight: 600; text-decoration: none; }
.files [hidden] { display: none; }
@media (pointer: coarse) { .files :is(a, button) { min-height: 48px; } }
.provenance { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s5); max-width: none; margin: 0; padding: var(--s4) 0; border-bottom: 1px solid var(--line); font-size: var(--t-sm); color: var(--ink-2); }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--r1); padding: var(--s4); overflow: auto; font-family: var(--mono); font-size: 0.875rem; }
summary { color: var(--accent); padding: 6px 0; font-size: var(--t-sm); }
.scroll { max-height: 480px; margin: var(--s2) 0; } .scroll.whole, #search > .scroll { max-height: none; }
.credit { font-size: var(--t-xs); color: var(--ink-3); }
.narrow { display: none; }
${CHARTS}
@media (max-width: 1100px) { .pair { grid-template-columns: minmax(0, 1fr); gap: var(--s4); } }
@media (max-width: 720px) {
  main { padding: 0 var(--s4) var(--s7); } .report-bar, .top { padding-left: var(--s4); padding-right: var(--s4); }
  .margins .bar { display: none; } .margins :is(td, th) { padding-left: var(--s1); padding-right: var(--s1); }
  .wide { display: none; } .narrow { display: block; } .answer { padding: var(--s4) 0; } .answer h1 { font-size: var(--t-xl); }
}
@media (max-width: 720px) { .parts { table-layout: fixed; } .parts thead th:first-child { width: 31%; } .parts thead th:nth-child(2) { width: 36%; } .parts .wide-cell { display: none; } .parts :is(td, th) { padding-left: var(--s1); padding-right: var(--s1); } }
/* The legend above the table has the words of the signs. */
@media (max-width: 480px) {
  .margins .promise { min-width: 12ch; } .margins tbody th { min-width: 7ch; }
  .margins :is(td, th) { padding-left: 2px; padding-right: 2px; } .margins .pill { gap: 0; padding: 1px 4px; }
  .margins :is(.pill, thead th:last-child) { font-size: 0; }
}
${PAPER}
@media print { ${lightColorsFor(":root")} }
${lightColorsFor(":root.printing")}`
