/** The style rules of a run report, in addition to those of the fleet report, with which it shares its frame. */

const KINDS = {
  reservation: "k-reservation",
  bot: "k-bot",
  "runner-task": "k-runner",
  "open-link": "k-open-link",
  delivery: "k-delivery",
  vehicle: "k-vehicle",
  compartment: "k-vehicle",
  "courier-order": "k-courier",
} as const

const HUES = Object.entries(KINDS)
  .map(([kind, color]) => `.stay.${kind} { --hue: var(--${color}); }`)
  .join("\n")

export const RUN_REPORT_STYLE = `
.runs :is(td, th) { vertical-align: middle; } .runs a { font-weight: 500; }
.run h2 { margin: var(--s2) 0 var(--s1); }
.failure { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: var(--s3) var(--s6); padding: var(--s4); margin: var(--s3) 0; border: 1px solid var(--line); border-left: 3px solid var(--bad); border-radius: var(--r1); background: var(--surface); }
.failure .what { margin-top: 0; font-weight: 600; }
.failure dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: var(--s1) var(--s4); margin: var(--s3) 0; }
.failure dt { color: var(--ink-2); } .failure dd { margin: 0; }
.failure .why { margin: var(--s3) 0; padding-left: var(--s4); color: var(--ink-2); font-size: var(--t-sm); }
figure { margin: 0; min-width: 0; } figcaption { color: var(--ink-2); font-size: var(--t-sm); margin-bottom: var(--s1); }
figure pre, .run .scroll { position: relative; }
figure pre { margin: 0; padding: var(--s3) 0; line-height: 1.6; } figure pre > * { display: block; padding: 0 var(--s3); width: max-content; min-width: 100%; }
mark { background: var(--bad-soft); color: var(--ink); box-shadow: inset 3px 0 0 var(--bad); font-weight: 600; }
.lanes { width: max-content; min-width: 100%; } .lanes :is(th, td) { white-space: nowrap; }
.lanes th[scope="row"], .lanes thead th:first-child { position: sticky; left: 0; background: var(--bg); z-index: 1; padding-right: var(--s4); }
.lanes td { padding: var(--s1) 1px; } .lanes tbody tr:hover { background: none; }
.stay { display: block; padding: 2px var(--s2); border-left: 3px solid var(--hue, var(--idle)); border-radius: 2px; background: color-mix(in srgb, var(--hue, var(--idle)) 14%, var(--bg)); }
.stay.end { background: repeating-linear-gradient(-45deg, color-mix(in srgb, var(--hue, var(--idle)) 10%, var(--bg)) 0 4px, var(--bg) 4px 8px); }
${HUES}
.step { display: inline-block; min-width: 24px; min-height: 24px; padding: 2px var(--s1); color: var(--ink-2); text-decoration: none; } .step:hover { text-decoration: underline; }
.step.failed { color: var(--bad); font-weight: 700; } .step.held { color: var(--ok); }
.steps { padding-left: var(--s6); } .steps li { padding: 3px 0; scroll-margin-top: var(--s4); } .steps li:target { background: var(--accent-soft); } .steps time { color: var(--ink-2); font-variant-numeric: tabular-nums; margin-right: var(--s2); }
.lanes .sent { font-size: var(--t-xs); color: var(--ink-2); padding: 0 var(--s2); }
.sendings table { min-width: 640px; }
.runs > .scroll { max-height: none; } .runs tbody th { min-width: 12em; } .runs td:nth-child(4) { white-space: nowrap; }
td details pre { white-space: pre-wrap; max-width: 80ch; max-height: 320px; }
.again { max-width: none; margin-top: var(--s4); } .again a { font-weight: 600; margin-right: var(--s4); }
@media (max-width: 720px) { .failure { grid-template-columns: minmax(0, 1fr); padding: var(--s3); } .lanes th[scope="row"] { white-space: normal; min-width: 96px; } }
`
