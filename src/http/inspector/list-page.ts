/** The list of groups, its filters in the address, so that a list can be told on. */

import { isoMs } from "../../model/time.ts"
import { statePaths } from "../../services/inspection/inspection.ts"
import type { GroupFilter, ListedGroup, ListedGroups } from "../../services/inspection/inspection.ts"
import type { SignedIn } from "../../services/inspection/operator-sessions.ts"
import type { Query } from "../endpoint.ts"
import { escaped } from "../html-page.ts"
import { headerOf } from "./page.ts"
import type { ShownPage } from "./page.ts"

const KINDS = ["courier-order", "delivery", "reservation", "vehicle", "webhook-delivery", "webhook-endpoint"]

const TEXT_LENGTH_MAX = 100

/** What cannot be read is no filter: the page shows which ones it took. */
export function filterIn(query: Query): GroupFilter {
  const textOf = (name: string): string | null => {
    const value = query[name]
    const text = typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : ""
    return text === "" || text.includes("\0") ? null : text
  }
  const before = textOf("before") ?? ""
  return {
    kind: textOf("kind"),
    state: textOf("state"),
    includesSettled: textOf("settled") !== null,
    isStuck: textOf("stuck") !== null,
    isLate: textOf("late") !== null,
    hasPendingCall: textOf("pending") !== null,
    beforeNumber: /^\d{1,15}$/.test(before) ? Number(before) : null,
  }
}

/** The same filter as an address. */
function addressOf(filter: GroupFilter): string {
  const fields = new URLSearchParams()
  const put = (name: string, value: string | null): void => {
    if (value !== null) fields.set(name, value)
  }
  put("kind", filter.kind)
  put("state", filter.state)
  for (const [name, is] of switchesOf(filter)) put(name, is ? "1" : null)
  put("before", filter.beforeNumber === null ? null : String(filter.beforeNumber))
  const text = fields.toString()
  return text === "" ? "/inspect" : `/inspect?${text}`
}

function switchesOf(filter: GroupFilter): readonly (readonly [name: string, isOn: boolean, label: string])[] {
  return [
    ["stuck", filter.isStuck, "stuck"],
    ["late", filter.isLate, "late timers"],
    ["pending", filter.hasPendingCall, "pending calls"],
    ["settled", filter.includesSettled, "settled ones, too"],
  ]
}

export function listPage(
  operator: SignedIn,
  filter: GroupFilter,
  { groups, nextBefore }: ListedGroups,
): ShownPage {
  const next = nextBefore === null ? null : addressOf({ ...filter, beforeNumber: nextBefore })
  return {
    status: 200,
    title: "Groups",
    body: [
      ...headerOf(operator),
      "<h1>Groups</h1>",
      ...formOf(filter),
      ...(groups.length === 0
        ? [
            `<p>${next === null ? "No group is like that." : "No group is like that among those that were looked at."}</p>`,
          ]
        : tableOf(groups)),
      ...(next === null ? [] : [`<p><a href="${escaped(next)}" rel="next">Earlier groups</a></p>`]),
    ],
  }
}

function formOf(filter: GroupFilter): readonly string[] {
  const { kind, state } = filter
  const kinds = kind === null || KINDS.includes(kind) ? KINDS : [...KINDS, kind]
  return [
    '<form method="get" action="/inspect" class="filters">',
    '<label>Kind <select name="kind">',
    `<option value="">every kind</option>`,
    ...kinds.map((one) => `<option${one === kind ? " selected" : ""}>${escaped(one)}</option>`),
    "</select></label>",
    `<label>State <input name="state" value="${escaped(state ?? "")}" placeholder="open.confirmed" maxlength="${TEXT_LENGTH_MAX}"></label>`,
    ...switchesOf(filter).map(
      ([name, isOn, label]) =>
        `<label><input type="checkbox" name="${name}" value="1"${isOn ? " checked" : ""}> ${label}</label>`,
    ),
    '<button type="submit">Filter</button>',
    "</form>",
  ]
}

function tableOf(groups: readonly ListedGroup[]): readonly string[] {
  return [
    '<div class="table" role="region" aria-label="Groups" tabindex="0"><table>',
    '<thead><tr><th scope="col">Group</th><th scope="col">States</th><th scope="col">Turns</th>',
    '<th scope="col">Last turn</th><th scope="col">Next due</th><th scope="col">Waits for</th></tr></thead>',
    "<tbody>",
    ...groups.map(rowOf),
    "</tbody></table></div>",
  ]
}

function rowOf(group: ListedGroup): string {
  const { address, actors, revision, instantMs, nextDueMs, lateMs, pending, stoppedBecause } = group
  const states = actors.map(
    (actor) => `<li>${escaped(partOf(actor.address))}: ${escaped(statePaths(actor.value).join(" "))}</li>`,
  )
  const due = nextDueMs === null ? "" : `<time>${isoMs(nextDueMs)}</time>`
  const late = lateMs === null ? "" : ` <span class="bad">late by ${Math.round(lateMs / 1000)} s</span>`
  const calls = pending.map(({ call, attempt }) => `<li>${escaped(call)}, attempt ${attempt}</li>`)
  const stuck = stoppedBecause === null ? "" : `<p class="bad">stuck: ${escaped(stoppedBecause)}</p>`
  return [
    `<tr><td><a href="${escaped(pathOf(address))}">${escaped(address)}</a>${stuck}</td>`,
    `<td><ul>${states.join("")}</ul></td><td>${revision}</td>`,
    `<td>${revision === 0 ? "not started" : `<time>${isoMs(instantMs)}</time>`}</td>`,
    `<td>${due}${late}</td><td><ul>${calls.join("")}</ul></td></tr>`,
  ].join("")
}

/** The part's name inside its group; of the group's root, its kind. */
function partOf(address: string): string {
  const [kind = "", , part] = address.split("/")
  return part ?? kind
}

/** The page of one group. */
export function pathOf(address: string): string {
  return `/inspect/groups/${address.split("/").map(encodeURIComponent).join("/")}`
}
