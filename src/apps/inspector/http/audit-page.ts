/** The events that operators sent by hand, newest first. */

import { html, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { groupOf } from "../../../model/address.ts"
import type { KeptAuditEntry } from "../audit.ts"
import type { SignedIn } from "../../operators/operator-sessions.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"
import { pathOf } from "./list-page.ts"
import { headerOf, instantOf } from "./page.ts"

export function auditPage(
  operator: SignedIn,
  entries: readonly KeptAuditEntry[],
  pageSize: number,
): ShownPage {
  const last = entries.at(-1)
  return {
    status: 200,
    title: "Sent events",
    top: headerOf(operator),
    body: html`<h1>Events that were sent by hand</h1>
      ${entries.length === 0 ? html`<p>None.</p>` : tableOf(entries)}
      ${
        last === undefined || entries.length < pageSize
          ? html``
          : html`<p><a href="/inspect/audit?before=${last.number}" rel="next">Earlier events</a></p>`
      }`,
  }
}

function tableOf(entries: readonly KeptAuditEntry[]): Html {
  return table(
    "Sent events, newest first",
    ["When, UTC", "Operator token", "Event", "Actor", "What became of it"],
    entries.map(({ atMs, operator, eventType, actor, outcome, code }) => [
      instantOf(atMs),
      operator,
      eventType,
      html`<a href="${pathOf(groupOf(actor))}">${actor}</a>`,
      `${outcome}${code === null ? "" : ` with ${code}`}`,
    ]),
  )
}
