/** The list of groups, with its filters in the address, so that a list can be shared. */

import { html, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { idOf, partOf } from "../../../model/address.ts"
import { COUNTED_GROUPS_MAX, COUNTED_STATES_MAX } from "../../../model/values/limits.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { InspectedActor, KindCount, StateCount } from "../rows.ts"
import { statePaths } from "../inspection.ts"
import type { GroupFilter, ListedGroup, ListedGroups } from "../inspection.ts"
import type { SignedIn } from "../../operators/operator-sessions.ts"
import type { Query } from "../../../http/endpoint.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"
import { FOLLOWED, FOLLOWING } from "./following.ts"
import { awayOf, headerOf } from "./page.ts"

/** What the machines say about a group's actors, in words. */
export interface GroupWords {
  /** The events from outside that lead an actor on: `bot: ready or aborted`; null for none. */
  readonly waitsFor: (actor: InspectedActor) => string | null
  /** `window and grace` for a timer's event, other types as they are. */
  readonly dueName: (type: string, machine: string | null) => string
  /** The hue of a kind of actor, one of the design's: `webhook`. */
  readonly hueOf: (kind: string) => string
}

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
    orderNumber: textOf("order"),
    organization: textOf("organization"),
    word: textOf("event"),
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
  put("order", filter.orderNumber)
  put("organization", filter.organization)
  put("event", filter.word)
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
  { groups, nextBefore, counts, states, nowMs }: ListedGroups,
  words: GroupWords,
): ShownPage {
  const next = nextBefore === null ? null : addressOf({ ...filter, beforeNumber: nextBefore })
  return {
    status: 200,
    title: "Groups",
    top: headerOf(operator),
    script: FOLLOWING,
    body: html`<h1>Groups</h1>
      <div id="${FOLLOWED.counts}">${countsOf(counts)} ${statesOf(filter.kind, states)}</div>
      ${formOf(filter)}
      <p id="${FOLLOWED.said}" class="quiet" role="status"></p>
      <div id="${FOLLOWED.rows}">
        ${groups.length === 0 ? emptyOf(filter, next !== null) : html`<div class="groups">${tableOf(groups, nowMs, words)}</div>`}
        ${next === null ? html`` : html`<p><a href="${next}" rel="next">Earlier groups</a></p>`}
      </div>`,
  }
}

/** Settled groups are most groups, and what is looked for may be one of them. */
function emptyOf(filter: GroupFilter, hasMore: boolean): Html {
  const { includesSettled, orderNumber, hasPendingCall } = filter
  const looked = hasMore ? " among those that were looked at" : ""
  if (includesSettled || orderNumber !== null || hasPendingCall)
    return html`<p>No group is like that${looked}.</p>`
  const wider = addressOf({ ...filter, includesSettled: true, beforeNumber: null })
  return html`<p>No open group is like that${looked}. <a href="${wider}">Look among settled ones, too</a></p>`
}

/** What is open now, as links to the lists of each kind. */
function countsOf(counts: readonly KindCount[]): Html {
  if (counts.length === 0) return html`<p>Nothing is open.</p>`
  return html`<ul class="counts">
    ${counts.map(({ kind, open, stuck }) => {
      const stopped = stuck === 0 ? html`` : html` <span class="bad">${countText(stuck)} stuck</span>`
      return html`<li><a href="/inspect?kind=${kind}">${kind}</a> ${countText(open)} open${stopped}</li>`
    })}
  </ul>`
}

/** `10,000+` above the bound up to which groups are counted. */
function countText(count: number): string {
  return count > COUNTED_GROUPS_MAX ? `${COUNTED_GROUPS_MAX.toLocaleString("en")}+` : String(count)
}

/** Open groups of one kind by their state, most first, as links to the lists of each state. */
function statesOf(kind: string | null, states: readonly StateCount[]): Html {
  if (kind === null || states.length === 0) return html``
  const counted = states.reduce((sum, { open }) => sum + open, 0)
  const newest =
    counted < COUNTED_STATES_MAX
      ? html``
      : html`<li class="quiet">of the newest ${COUNTED_STATES_MAX.toLocaleString("en")}</li>`
  return html`<ul class="counts" aria-label="${kind} by state">
    ${states.map(({ value, open }) => {
      const paths = statePaths(value)
      const address = `/inspect?${new URLSearchParams({ kind, state: paths[0] ?? "" }).toString()}`
      return html`<li><a href="${address}">${paths.join(" ")}</a> ${open}</li>`
    })}
    ${newest}
  </ul>`
}

/** Fields of text: name, label and an example. */
const FIELDS = [
  ["order", "Order number", "1187", "orderNumber"],
  ["organization", "Organization", "id, or part of its name", "organization"],
  ["event", "Event, code or request id", "open_link.failed", "word"],
  ["id", "Id", "whole, or its end", "addressPart"],
  ["state", "State", "open.confirmed", "state"],
] as const

function formOf(filter: GroupFilter): Html {
  const { kind } = filter
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
    ${FIELDS.map(
      ([name, label, example, key]) =>
        html`<label
          >${label}
          <input
            name="${name}"
            value="${filter[key] ?? ""}"
            placeholder="${example}"
            maxlength="${TEXT_LENGTH_MAX}"
        /></label>`,
    )}
    ${switchesOf(filter).map(
      ([name, isOn, label]) =>
        html`<label
          ><input type="checkbox" name="${name}" value="1" ${isOn ? checked : html``} /> ${label}</label
        >`,
    )}
    <button type="submit">Filter</button>
  </form>`
}

function tableOf(groups: readonly ListedGroup[], nowMs: EpochMs, words: GroupWords): Html {
  return table(
    "Groups, newest first",
    ["Group", "States", "Waits for", "Next timer", "Last turn", "Turns"],
    groups.map((group) => rowOf(group, nowMs, words)),
    groups.map(({ address }) => html` data-group="${address}"`),
  )
}

function rowOf(group: ListedGroup, nowMs: EpochMs, words: GroupWords): readonly (Html | number | string)[] {
  const { address, kind, actors, revision, instantMs, stoppedBecause } = group
  const stuck = stoppedBecause === null ? html`` : html`<p class="bad">stuck: ${stoppedBecause}</p>`
  return [
    html`<span class="square ${words.hueOf(kind)}"></span
      ><a href="${pathOf(address)}">${nameOf(group)}</a>${whoseOf(group)}${stuck}${failureOf(group)}`,
    html`<ul>
      ${actors.map((actor) => html`<li>${partOf(actor.address)}: ${statePaths(actor.value).join(" ")}</li>`)}
    </ul>`,
    waitingOf(group, words),
    dueOf(group, nowMs, words),
    revision === 0 ? "not started" : awayOf(instantMs, nowMs),
    revision,
  ]
}

/** `Webhook delivery · reservation.exception · order 1187`; `Vehicle · veh_7` for a group that has neither event nor order. */
function nameOf(group: ListedGroup): string {
  const words = group.kind.replaceAll("-", " ")
  const about = aboutOf(group)
  const named = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
  return [named, ...(about.length === 0 ? [idOf(group.address)] : about)].join(" · ")
}

function aboutOf({ orderNumber, eventType }: ListedGroup): readonly string[] {
  return [eventType ?? "", orderNumber === null ? "" : `order ${orderNumber}`].filter(Boolean)
}

/** The organization, and the group's id where its name does not have it. */
function whoseOf(group: ListedGroup): Html {
  const { address, organization } = group
  const id = aboutOf(group).length === 0 ? html`` : html`<span class="mono">${idOf(address)}</span>`
  if (organization === null) return html`<p class="quiet owner">${id}</p>`
  return html`<p class="quiet owner">${organization}${aboutOf(group).length === 0 ? "" : " · "}${id}</p>`
}

/** `webhook, attempt 3 failed (503)`, as the head of the group's page says it. */
function failureOf({ failed }: ListedGroup): Html {
  if (failed === null) return html``
  const { call, attempt, reason } = failed
  const answer = reason.replace(/^status_/, "").replaceAll("_", " ")
  return html`<p class="bad">${call.replaceAll("_", " ")}, attempt ${attempt} failed (${answer})</p>`
}

/** Answers to calls, then the events from outside that the actors take. */
function waitingOf({ actors, isSettled, pending }: ListedGroup, words: GroupWords): Html {
  if (isSettled) return html`<span class="quiet">nothing: it has ended</span>`
  const events = actors.map((actor) => words.waitsFor(actor)).filter((one) => one !== null)
  if (pending.length === 0 && events.length === 0)
    return html`<span class="quiet">nothing from outside</span>`
  return html`<ul>
    ${pending.map(
      ({ call, attempt }) => html`<li>the answer to ${call.replaceAll("_", " ")}, attempt ${attempt}</li>`,
    )}
    ${events.map((one) => html`<li>${one}</li>`)}
  </ul>`
}

function dueOf({ actors, nextDue, lateMs }: ListedGroup, nowMs: EpochMs, words: GroupWords): Html {
  if (nextDue === null) return html``
  const { atMs, to, type } = nextDue
  const machine = actors.find(({ address }) => address === to)?.machine ?? null
  const name = type === null ? "start" : words.dueName(type, machine)
  const late =
    lateMs === null ? html`` : html` <span class="bad">late by ${Math.round(lateMs / 1000)} s</span>`
  return html`${name}, ${awayOf(atMs, nowMs)}${late}`
}

/** Prefix of each group's page. */
export const GROUPS = "/inspect/groups"

/** The path of one group's page. */
export function pathOf(address: string): string {
  return `${GROUPS}/${address.split("/").map(encodeURIComponent).join("/")}`
}
