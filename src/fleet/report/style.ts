/** The report's looks: tokens first, so that other pages can share them, then the few rules that use them. */

export const TOKENS = `
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1a2230; --quiet: #4d5a6b; --line: #c9d1db; --panel: #f4f6f9;
  --accent: #0b57a4; --good: #14653a; --bad: #a51d24; --mark: #8a4b00;
  --s1: #0b57a4; --s2: #8a4b00; --s3: #14653a; --s4: #7a2a8c;
  --space: 16px; --radius: 6px;
  --text: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; --mono: ui-monospace, "SF Mono", Menlo, monospace; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #12161d; --ink: #e8edf4; --quiet: #aab6c5; --line: #3a4554; --panel: #1b212b;
  --accent: #7db8f7; --good: #6fd49c; --bad: #ff9a9f; --mark: #f0b36a;
  --s1: #7db8f7; --s2: #f0b36a; --s3: #6fd49c; --s4: #d9a4ec; } }
`

export const RULES = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 var(--text); }
main { max-width: 1200px; margin: 0 auto; padding: var(--space); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 8px; } h2 { font-size: 1.25rem; margin: 40px 0 8px; } h3 { font-size: 1.05rem; margin: 24px 0 8px; }
p { max-width: 75ch; margin: 8px 0; } .quiet { color: var(--quiet); }
.verdict { border-left: 8px solid var(--good); padding: 8px var(--space); background: var(--panel); border-radius: var(--radius); }
.verdict.failed { border-color: var(--bad); } .kept { color: var(--good); font-weight: 600; } .broken { color: var(--bad); font-weight: 600; }
a, summary { color: var(--accent); } summary { cursor: pointer; padding: 6px 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow: auto; max-height: 480px; border: 1px solid var(--line); border-radius: var(--radius); margin: 8px 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 8px; color: var(--quiet); } th, td { text-align: left; padding: 4px 8px; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--panel); } tbody th { font-weight: 400; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius); padding: var(--space); overflow: auto; font: 14px/1.45 var(--mono); }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px var(--text); }
canvas { width: 100%; border: 1px solid var(--line); border-radius: var(--radius); background: var(--panel); display: block; }
.controls { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; margin: 8px 0; } .controls input[type=range] { flex: 1 1 220px; }
button { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--quiet); border-radius: var(--radius); padding: 6px 14px; min-height: 36px; }
ul.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0; margin: 8px 0; }
.u-legend { color: var(--ink); }
`
