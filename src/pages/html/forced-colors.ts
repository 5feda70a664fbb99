/**
 * A palette of the reader's own replaces backgrounds and borders, by which pages show what is current. This shows it by colours of that
 * palette, on every page: navigation, tabs, chips, rows, choices and bars. It wins over the rules of pages, which name colours that are
 * not shown then.
 */

/** What is current by its own fill. An item of a list may hold other items, so it has a frame instead. */
const CURRENT = `:is([aria-current]:not([aria-current="false"], li), [aria-pressed="true"], [aria-selected="true"], tr.selected, tr:has(> .choose input:checked))`

export const FORCED_COLORS = `
@media (forced-colors: active) {
${CURRENT} { forced-color-adjust: none; background: Highlight !important; border-color: Highlight !important; color: HighlightText !important; }
${CURRENT} *:not(svg, svg *) { background-color: transparent !important; border-color: HighlightText !important; color: HighlightText !important; }
${CURRENT}:focus-visible { outline: 2px solid CanvasText !important; outline-offset: 2px !important; }
li[aria-current]:not([aria-current="false"]), label:has(> input[type="radio"]:checked) { outline: 2px solid Highlight; outline-offset: -2px; }
progress, .meter { border: 1px solid CanvasText !important; }
progress::-webkit-progress-value { background: Highlight !important; }
progress::-moz-progress-bar { background: Highlight !important; }
.meter i.on { background: Highlight !important; }
}
`
