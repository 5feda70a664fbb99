/** The list of groups, with its filters in the address, so that a list can be shared. */

import { html, table } from "../../html/markup.ts"
import type { Html } from "../../html/markup.ts"
import { partOf } from "../../model/address.ts"
import type { EpochMs } from "../../model/time.ts"
import type { KindCount } from "../rows.ts"
import { statePaths } from "../inspection.ts"
import type { GroupFilter, ListedGroup, ListedGroups } from "../inspection.ts"
import type { SignedIn } from "../../operators/operator-sessions.ts"
import type { Query } from "../../http/endpoint.ts"
import type { ShownPage } from "../../http/html-page.ts"
import { awayOf, headerOf } from "./page.ts"

/** The kinds of groups; each is the name of a root machine. */
export const GROUP_KINDS = [
  "compartment",
  "courier-order",
  "delivery",
  "reservation",
  "runner-call",
  "vehicle",
  "webhook-delivery",
  "webhook-endpoint",
]

const TEXT_LENGTH_MAX = 100

/** A filter that cannot be parsed is ignored: the page shows which filters apply. */
export function filterIn(query: Query): GroupFilter {
  const textOf = (name: string): string | null => textIn(query, name)
  return {
    kind: textOf("kind"),
    addressPart: textOf("id"),
    state: textOf("state"),
    includesSettled: textOf("settled") !== null,
    isStuck: textOf("stuck") !== null,
    isLate: textOf("late") !== null,
    hasPendingCall: textOf("pending") !== null,
    beforeNumber: beforeIn(query),
  }
}

/** The start of a page of a list; null for the first. */
export function beforeIn(query: Query): number | null {
  const before = textIn(query, "before") ?? ""
  return /^\d{1,15}$/.test(before) ? Number(before) : null
}

function textIn(query: Query, name: string): string | null {
  const value = query[name]
  const text = typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : ""
  return text === "" || text.includes("\0") ? null : text
}

/** The same filter as an address. */
function addressOf(filter: GroupFilter): string {
  const fields = new URLSearchParams()
  const put = (name: string, value: string | null): void => {
    if (value !== null) fields.set(name, value)
  }
  put("kind", filter.kind)
  put("id", filter.addressPart)
  put("state", filter.state)
  for (const [name, is] of switchesOf(filter)) put(name, is ? "1" : null)
  put("before", filter.beforeNumber === null ? null : String(filter.beforeNumber))
  const text = fields.toString()
  return text === "" ? "/inspect" : `/inspect?${text}`
}

function switchesOf(filter: GroupFilter): readonly (readonly [name: string, isOn: boolean, label: string])[] {
  return [
    ["stuck", filter.isStuck, "Stuck"],
    ["late", filter.isLate, "Late timers"],
    ["pending", filter.hasPendingCall, "Pending calls"],
    ["settled", filter.includesSettled, "Settled ones, too"],
  ]
}

export function listPage(
  operator: SignedIn,
  filter: GroupFilter,
  { groups, nextBefore, counts, nowMs }: ListedGroups,
): ShownPage {
  const next = nextBefore === null ? null : addressOf({ ...filter, beforeNumber: nextBefore })
  const emptyText = `No group is like that${next === null ? "" : " among those that were looked at"}.`
  return {
    status: 200,
    title: "Groups",
    top: headerOf(operator),
    body: html`<h1>Groups</h1>
      ${countsOf(counts)} ${formOf(filter)}
      ${groups.length === 0 ? html`<p>${emptyText}</p>` : html`<div class="groups">${tableOf(groups, nowMs)}</div>`}
      ${next === null ? html`` : html`<p><a href="${next}" rel="next">Earlier groups</a></p>`}`,
  }
}

/** What is open now, as links to the lists of each kind. */
function countsOf(counts: readonly KindCount[]): Html {
  if (counts.length === 0) return html`<p>Nothing is open.</p>`
  return html`<ul class="counts">
    ${counts.map(({ kind, open, stuck }) => {
      const stopped = stuck === 0 ? html`` : html` <span class="bad">${stuck} stuck</span>`
      return html`<li><a href="/inspect?kind=${kind}">${kind}</a> ${open} open${stopped}</li>`
    })}
  </ul>`
}

function formOf(filter: GroupFilter): Html {
  const { kind, state, addressPart } = filter
  const kinds = kind === null || GROUP_KINDS.includes(kind) ? GROUP_KINDS : [...GROUP_KINDS, kind]
  const selected = html` selected`
  const checked = html`checked`
  return html`<form method="get" action="/inspect" class="filters">
    <label
      >Kind
      <select name="kind">
        <option value="">every kind</option>
        ${kinds.map((one) => html`<option${one === kind ? selected : html``}>${one}</option>`)}
      </select></label
    >
    <label
      >Id
      <input
        name="id"
        value="${addressPart ?? ""}"
        placeholder="whole, or its end"
        maxlength="${TEXT_LENGTH_MAX}"
    /></label>
    <label
      >State
      <input name="state" value="${state ?? ""}" placeholder="open.confirmed" maxlength="${TEXT_LENGTH_MAX}"
    /></label>
    ${switchesOf(filter).map(
      ([name, isOn, label]) =>
        html`<label
          ><input type="checkbox" name="${name}" value="1" ${isOn ? checked : html``} /> ${label}</label
        >`,
    )}
    <button type="submit">Filter</button>
  </form>`
}

function tableOf(groups: readonly ListedGroup[], nowMs: EpochMs): Html {
  return table(
    "Groups, newest first",
    ["Group", "States", "Turns", "Last turn", "Next due", "Waits for"],
    groups.map((group) => rowOf(group, nowMs)),
  )
}

function rowOf(group: ListedGroup, nowMs: EpochMs): readonly (Html | number | string)[] {
  const { address, actors, revision, instantMs, nextDueMs, lateMs, pending, stoppedBecause } = group
  const due = nextDueMs === null ? html`` : awayOf(nextDueMs, nowMs)
  const late =
    lateMs === null ? html`` : html`<span class="bad">late by ${Math.round(lateMs / 1000)} s</span>`
  const stuck = stoppedBecause === null ? html`` : html`<p class="bad">stuck: ${stoppedBecause}</p>`
  return [
    html`<a href="${pathOf(address)}">${address}</a>${stuck}`,
    html`<ul>
      ${actors.map((actor) => html`<li>${partOf(actor.address)}: ${statePaths(actor.value).join(" ")}</li>`)}
    </ul>`,
    revision,
    revision === 0 ? "not started" : awayOf(instantMs, nowMs),
    html`${due} ${late}`,
    html`<ul>
      ${pending.map(({ call, attempt }) => html`<li>${call}, attempt ${attempt}</li>`)}
    </ul>`,
  ]
}

/** Prefix of each group's page. */
export const GROUPS = "/inspect/groups"

/** The path of one group's page. */
export function pathOf(address: string): string {
  return `${GROUPS}/${address.split("/").map(encodeURIComponent).join("/")}`
}
