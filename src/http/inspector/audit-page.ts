/** What operators sent by hand, newest first. */

import { isoMs } from "../../model/time.ts"
import { groupOf } from "../../model/address.ts"
import type { KeptAuditEntry } from "../../services/inspection/audit.ts"
import type { SignedIn } from "../../services/inspection/operator-sessions.ts"
import { escaped } from "../html-page.ts"
import { pathOf } from "./list-page.ts"
import { headerOf } from "./page.ts"
import type { ShownPage } from "./page.ts"

export function auditPage(
  operator: SignedIn,
  entries: readonly KeptAuditEntry[],
  pageSize: number,
): ShownPage {
  const last = entries.at(-1)
  return {
    status: 200,
    title: "Sent events",
    body: [
      ...headerOf(operator),
      "<h1>Events that were sent by hand</h1>",
      ...(entries.length === 0 ? ["<p>None.</p>"] : tableOf(entries)),
      ...(last === undefined || entries.length < pageSize
        ? []
        : [`<p><a href="/inspect/audit?before=${last.number}" rel="next">Earlier events</a></p>`]),
    ],
  }
}

function tableOf(entries: readonly KeptAuditEntry[]): readonly string[] {
  return [
    '<div class="table" role="region" aria-label="Sent events" tabindex="0"><table>',
    '<thead><tr><th scope="col">When</th><th scope="col">Operator token</th><th scope="col">Event</th>',
    '<th scope="col">Actor</th><th scope="col">What became of it</th></tr></thead><tbody>',
    ...entries.map(
      ({ atMs, operator, eventType, actor, outcome, code }) =>
        `<tr><td><time>${isoMs(atMs)}</time></td><td>${escaped(operator)}</td><td>${escaped(eventType)}</td>` +
        `<td><a href="${escaped(pathOf(groupOf(actor)))}">${escaped(actor)}</a></td>` +
        `<td>${outcome}${code === null ? "" : ` with ${escaped(code)}`}</td></tr>`,
    ),
    "</tbody></table></div>",
  ]
}
