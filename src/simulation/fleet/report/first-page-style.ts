/** The style rules of a fleet report's first page, of its folded parts, and of the one sheet of paper that it prints on. */

export const FIRST_PAGE_STYLE = `
.answer { padding: var(--s4) 0 var(--s5); } .answer h1 { margin: 0 0 var(--s4); max-width: 60rem; text-wrap: balance; }
.answer h1.long { font-size: var(--t-lg); letter-spacing: -0.01em; line-height: 1.35; max-width: 75rem; }
.answer h2 { margin: 0 0 var(--s2); font-size: var(--t); }
.question { margin: var(--s3) 0 var(--s1); font-size: 1rem; color: var(--ink-2); max-width: 90ch; }
.first { display: grid; grid-template-columns: minmax(0, 1fr) 360px; gap: var(--s5); align-items: start; }
.first > .replay-part { grid-column: 1; grid-row: 1; min-width: 0; } .first > .margins-part { grid-column: 2; grid-row: 1; }
.first.still > .paper-picture { grid-column: 1; grid-row: 1; min-width: 0; } .first:not(.still) > .paper-picture { display: none; }
#replay-show { min-height: 414px; margin: 0 0 var(--s2); }
.margin-list { margin: 0 0 var(--s5); padding: 0; list-style: none; } .margin-list li { margin-bottom: var(--s4); font-size: var(--t-sm); } .margin-list b { font-weight: 600; } .margin-list .found { display: block; }
.bullet { display: block; max-width: none; margin: var(--s1) 0; } .bullet .keeps { stroke: var(--edge); stroke-width: 1; }
svg.bullet.ok .found { fill: var(--ok); } svg.bullet.wait .found { fill: var(--wait); } svg.bullet.bad .found { fill: var(--bad); }
svg.bullet.ok .keeps, svg.bullet.wait .keeps, svg.bullet.bad .keeps { fill: var(--ok-soft); opacity: 1; }
svg.bullet .range { stroke: var(--ink); stroke-width: 2; } svg.bullet .limit { stroke: var(--ink); stroke-width: 2; }
.rests { font-size: var(--t-sm); color: var(--ink-2); }
.reasons { margin: var(--s4) 0 0; padding-left: 1.2em; color: var(--ink-2); } .reasons li { margin: var(--s1) 0; max-width: 110ch; }
.part { border-bottom: 1px solid var(--line); scroll-margin-top: var(--s4); } .part:last-child { border-bottom: 0; }
.part > summary { padding: var(--s4) 0; color: var(--ink); font-size: var(--t); } .part > summary h2 { display: inline; margin: 0; }
.part > summary .lead { display: block; margin-top: var(--s1); padding-left: 1.1em; color: var(--ink-2); max-width: 110ch; }
.part[open] { padding-bottom: var(--s5); } .part h3:first-child { margin-top: 0; } .multiples h3 { margin-top: var(--s3); }
@media (max-width: 1100px) { .first { display: block; } .first > .margins-part { margin-bottom: var(--s4); } }
@media (max-width: 720px) {
  .top { gap: var(--s1) var(--s4); } .top nav { order: 1; flex-wrap: nowrap; overflow-x: auto; width: 100%; white-space: nowrap; } .files { display: none; }
  .answer { padding-top: var(--s3); } .answer h1 { margin-bottom: var(--s3); } .question { margin-top: var(--s1); font-size: var(--t-sm); }
  .about { font-size: var(--t-sm); } .margin-list { margin-bottom: var(--s3); } .margin-list li { margin-bottom: var(--s2); }
  .first { display: flex; flex-direction: column; } .first > * { width: 100%; }
}
@media print {
  @page { size: A4; margin: 12mm 14mm; }
  body { background: none; font-size: 10pt; line-height: 1.4; } .part:not([open]), .answer .replay-part, .answer .rests a { display: none !important; }
  .answer { border: 0; padding: 0; break-inside: avoid-page; } .answer h1 { font-size: 17pt; margin-bottom: 8pt; } .answer h1.long { font-size: 12pt; }
  .first { display: block; } .first > .paper-picture { display: block !important; } .first .paper-picture svg { height: auto; max-height: 62mm; margin: 0 auto; }
  .margin-list { margin-bottom: 6pt; } .margin-list li { margin-bottom: 6pt; font-size: 10pt; break-inside: avoid; } .bullet { height: 14px; }
  .rests { font-size: 9pt; } .reasons { margin-top: 6pt; font-size: 9pt; } .reasons li { margin: 1pt 0; } .advice { font-size: 9pt; margin-top: 4pt; }
  .part > summary { list-style: none; } .part { break-before: auto; }
}
`
