/** The layout of the inspector's own pages, which work without a script, and their common head. */

import type { FastifyReply } from "fastify"
import { html, raw } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import { CARD_STYLE, READING_STYLE } from "../../../pages/html/styles.ts"
import { MARK } from "../../../pages/html/tokens.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { sendPage as send } from "../../../http/pages/html-page.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"
import type { SignedIn } from "../../operators/operator-sessions.ts"

/** `same-origin`: without any referrer, browsers would not send where a form comes from. */
export const PAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
} as const

export function sendPage(reply: FastifyReply, page: ShownPage): FastifyReply {
  return send(reply, page, { style: STYLE, headers: PAGE_HEADERS })
}

/** A form in the middle, as on every page before a sign-in. */
export function sendCard(reply: FastifyReply, page: ShownPage): FastifyReply {
  return send(reply, page, { style: CARD_STYLE, headers: PAGE_HEADERS, isCard: true })
}

/** The environment, links to the pages, the operator's token, and the sign-out button. */
export function headerOf({ environment, label, formKey }: SignedIn): Html {
  return html`<header>
    <div class="environment ${environment}">
      <span class="badge">${environment.toUpperCase()}</span>
    </div>
    <div class="top">
      ${raw(MARK)}
      <p><strong>Inspector</strong></p>
      <nav aria-label="Inspector"><a href="/inspect">Groups</a> <a href="/inspect/audit">Sent events</a></nav>
      <p class="quiet who">signed in with the token “${label}”</p>
      <form method="post" action="/inspect/sign-out">
        <input type="hidden" name="key" value="${formKey}" />
        <button type="submit">Sign out</button>
      </form>
    </div>
  </header>`
}

/** An instant in UTC, as the journal counts: day and time to the second; the whole of it is in the element. */
export function instantOf(ms: EpochMs): Html {
  const whole = isoMs(ms)
  return html`<time datetime="${whole}" title="${whole}">${DAY.format(ms)} ${whole.slice(11, 19)}</time>`
}

/** `3 min ago`, `in 31 min`: an instant as its distance from now; the whole of it is in the element. */
export function awayOf(ms: EpochMs, nowMs: EpochMs): Html {
  const whole = isoMs(ms)
  const distance = lengthText(Math.abs(ms - nowMs))
  const words = ms > nowMs ? `in ${distance}` : `${distance} ago`
  return html`<time datetime="${whole}" title="${whole}">${words}</time>`
}

/** `40 s`, `31 min`, `5 h`, `3 d` */
function lengthText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  return ms < 48 * HOUR_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / (24 * HOUR_MS))} d`
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })

/** The kinds of actors that have a hue of their own. */
const HUES = [
  "reservation",
  "bot",
  "runner",
  "delivery",
  "vehicle",
  "webhook",
  "open-link",
  "courier",
] as const

const STYLE = `${READING_STYLE}
.top { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; min-height: 56px; padding: var(--s2) var(--s6); border-bottom: 1px solid var(--line); background: var(--surface); }
.top p { margin: 0; }
.top .who { margin-left: auto; font-size: var(--t-sm); }
.top nav { display: flex; gap: var(--s4); font-size: var(--t-sm); }
.top nav a { color: var(--ink-2); text-decoration: none; padding: var(--s2) 0; }
.top nav a:hover { color: var(--ink); text-decoration: underline; }
.filters { display: flex; flex-wrap: wrap; gap: var(--s3) var(--s5); align-items: end; margin: var(--s4) 0; font-size: var(--t-sm); }
.filters label { display: grid; gap: 4px; font-weight: 600; }
.filters :is(input, select) { font-weight: 400; }
.filters label:has([type="checkbox"]) { display: inline-flex; align-items: center; gap: var(--s2); min-height: 36px; font-weight: 400; }
input[type="checkbox"] { width: 1.25rem; height: 1.25rem; margin: 0; }
.counts { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s5); margin: 0; padding: 0; list-style: none; font-size: var(--t-sm); }
.square { display: inline-block; width: 8px; height: 8px; margin-right: var(--s2); border-radius: 2px; background: var(--ink-3); }
${HUES.map((hue) => `.square.${hue} { background: var(--k-${hue}); }`).join("\n")}
.owner { margin: 2px 0 0; font-weight: 400; font-size: var(--t-sm); }
#followed { margin: 0; min-height: 1.5em; font-size: var(--t-sm); }
td time, th time { font-variant-numeric: tabular-nums; }
@media (max-width: 720px) {
  .top { padding: var(--s2) var(--s4); }
  .top .who { order: 1; width: 100%; margin: 0; }
  .top form { margin-left: auto; }
  .top button, .filters :is(button, select, input:not([type="checkbox"])) { min-height: 44px; }
  .filters > label:has(select, [name="state"]), .filters > button { flex: 1 1 100%; }
  .filters > label:has(input:not([type="checkbox"], [name="state"])) { flex: 1 1 40%; min-width: 0; }
  .filters input:not([type="checkbox"]) { width: 100%; min-width: 0; }
  tbody th { min-width: 8.5rem; overflow-wrap: anywhere; }
  td time { white-space: normal; }
  .groups :is(th, td):is(:nth-child(5), :nth-child(6)) { display: none; }
}
`
