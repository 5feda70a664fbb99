/** The style rules of a report, in addition to those of every page: pictures and their players. */

export const REPORT_STYLE = `
main { max-width: 75rem; }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--r1); padding: var(--s4); overflow: auto; font-family: var(--mono); font-size: 0.875rem; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: var(--t-xs) var(--sans); }
canvas { width: 100%; border: 1px solid var(--line); border-radius: var(--r1); background: var(--sunken); display: block; }
summary { color: var(--accent); padding: 6px 0; }
th, td { white-space: nowrap; }
.scroll { max-height: 480px; margin: var(--s2) 0; }
.controls { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; margin: var(--s2) 0; }
.controls input[type="range"] { flex: 1 1 220px; }
.u-legend { color: var(--ink); }
`
