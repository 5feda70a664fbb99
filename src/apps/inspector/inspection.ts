/** The inspector's reads of the running service: the list of groups, and one group's journal as a run record. */

import { kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { JsonObject } from "../../model/values/json.ts"
import {
  INSPECTED_ENTRIES_MAX,
  INSPECTED_GROUPS_BATCH,
  INSPECTED_GROUPS_LOOKED_MAX,
  LATE_MS,
  PAGE_SIZE,
  RELATED_GROUPS_MAX,
} from "../../model/values/limits.ts"
import type { RelatedGroup, RelatedGroups } from "../../model/related-groups.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { GroupZones } from "./group-zones.ts"
import { callsIn } from "./pending-calls.ts"
import type { CallsOfGroup } from "./pending-calls.ts"
import { RecordTexts } from "./record-texts.ts"
import { InspectedGroups } from "./rows.ts"
import type { GroupOwner, GroupQuery, InspectedGroup, KindCount, StateCount } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface GroupFilter {
  readonly kind: string | null
  /** A part of the group's address, such as the last characters of an id. */
  readonly addressPart: string | null
  /** A state's name, or a part of its path: `open` finds `open.confirmed`, and so does `confirmed`. */
  readonly state: string | null
  /** The number of an order, in any case of letters; it finds settled groups, too. */
  readonly orderNumber: string | null
  /** An organization's id, or a part of its name. */
  readonly organization: string | null
  /** The type of an event in the group's journal, or a code, such as `open_link.failed` or `access_failed`, or a request's id. */
  readonly word: string | null
  /** True to include settled groups. */
  readonly includesSettled: boolean
  readonly isStuck: boolean
  readonly isLate: boolean
  readonly hasPendingCall: boolean
  readonly beforeNumber: number | null
}

export interface ListedGroup extends CallsOfGroup, GroupOwner, InspectedGroup {
  /** By how long the first due entry is late; null when none is. */
  readonly lateMs: number | null
}

export interface ListedGroups {
  readonly groups: readonly ListedGroup[]
  /** The start of the next page; null at the end. */
  readonly nextBefore: number | null
  /** All open groups of the environment, by kind. */
  readonly counts: readonly KindCount[]
  /** Open groups of the kind that was asked for, by the state of their root; empty for every kind. */
  readonly states: readonly StateCount[]
  /** The service's time of this answer. */
  readonly nowMs: EpochMs
}

/** A part of a group's journal, as lines of its record. */
export interface GroupEntries {
  readonly lines: string
  /** The last revision in it. */
  readonly revision: number
  /** The fault that has stopped the group. */
  readonly stoppedBecause: string | null
  /** The service's time of this answer. */
  readonly nowMs: EpochMs
}

/** A record that is read in pieces. */
export interface RecordPieces {
  /** Null after the last piece. */
  readonly next: Routine<string | null>
}

export class Inspection extends service<Inspection>()("Inspection", () => ({
  list,
  head,
  owner,
  related: relatedTo,
  entries,
  record,
})) {}

/**
 * Newest first. A page may have fewer groups without being the last, because one request checks a bounded number of
 * groups.
 */
const list = Routine.fn(function* (environment: Environment, filter: GroupFilter) {
  const nowMs = yield* Routine.nowMs
  const rows = yield* InspectedGroups
  const { found, nextBefore } = yield* pageOf(environment, filter, nowMs)
  const counts = yield* rows.counts(environment)
  const states = filter.kind === null ? [] : yield* rows.states(environment, filter.kind)
  const groups = yield* listedOf(inReading(found, filter), nowMs)
  return { groups, nextBefore, counts, states, nowMs } satisfies ListedGroups
})

/** Of an order the order itself first: its webhooks are newer, and may be many. */
function inReading(
  found: readonly InspectedGroup[],
  { orderNumber }: GroupFilter,
): readonly InspectedGroup[] {
  if (orderNumber === null) return found
  const isWebhook = ({ address }: InspectedGroup): boolean => kindOf(address) === "webhook-delivery"
  return [...found.filter((group) => !isWebhook(group)), ...found.filter(isWebhook)]
}

const pageOf = Routine.fn(function* (environment: Environment, filter: GroupFilter, nowMs: EpochMs) {
  const rows = yield* InspectedGroups
  // Who names an order asks what became of it.
  const includesSettled = filter.includesSettled || filter.orderNumber !== null
  const query: Omit<GroupQuery, "beforeNumber"> = {
    environment,
    kind: filter.kind,
    addressPart: filter.addressPart,
    orderNumber: filter.orderNumber,
    organization: filter.organization,
    // A settled actor waits for no answer.
    isOpen: !includesSettled || filter.hasPendingCall,
    isStopped: filter.isStuck,
    dueBeforeMs: filter.isLate ? nowMs - LATE_MS : null,
    limit: INSPECTED_GROUPS_BATCH,
  }
  const found: InspectedGroup[] = []
  let beforeNumber = filter.beforeNumber
  for (let looked = 0; looked < INSPECTED_GROUPS_LOOKED_MAX; looked += INSPECTED_GROUPS_BATCH) {
    const batch = yield* rows.list({ ...query, beforeNumber })
    const fitting = batch.filter((row) => filter.state === null || isIn(row, filter.state))
    const mentioned = filter.word === null ? fitting : yield* mentioning(fitting, filter.word)
    for (const row of filter.hasPendingCall ? yield* waiting(mentioned) : mentioned) {
      if (found.length === PAGE_SIZE) return { found, nextBefore: found.at(-1)?.number ?? null }
      found.push(row)
    }
    beforeNumber = batch.at(-1)?.number ?? null
    if (batch.length < INSPECTED_GROUPS_BATCH) return { found, nextBefore: null }
  }
  return { found, nextBefore: beforeNumber }
})

/** The groups with a word in their journal, and the webhook deliveries of such an event, of which no journal has the type. */
const mentioning = Routine.fn(function* (found: readonly InspectedGroup[], word: string) {
  if (found.length === 0) return found
  const rows = yield* InspectedGroups
  const have = yield* rows.withWord(
    found.map(({ address }) => address),
    HTTP_STATUS.test(word) ? `status_${word}` : word,
  )
  const others = found.filter(({ address }) => !have.has(address) && kindOf(address) === "webhook-delivery")
  const owners = yield* ownersOf(others)
  return found.filter(({ address }) => have.has(address) || owners.get(address)?.eventType === word)
})

/** As pages show the answer of a call; a journal has `status_503`. */
const HTTP_STATUS = /^[1-5]\d\d$/

/** The groups that wait for an answer to a call. */
const waiting = Routine.fn(function* (found: readonly InspectedGroup[]) {
  const calls = yield* callsOf(found)
  return found.filter(({ address }) => (calls.get(address)?.pending ?? []).length > 0)
})

const listedOf = Routine.fn(function* (found: readonly InspectedGroup[], nowMs: number) {
  const calls = yield* callsOf(found)
  const owners = yield* ownersOf(found)
  return found.map((row): ListedGroup => {
    const lateMs = row.nextDue === null ? 0 : nowMs - row.nextDue.atMs
    return {
      ...row,
      ...(owners.get(row.address) ?? NO_OWNER),
      ...(calls.get(row.address) ?? NO_CALLS),
      lateMs: lateMs > LATE_MS ? lateMs : null,
    }
  })
})

const NO_CALLS: CallsOfGroup = { pending: [], failed: null }

const NO_OWNER: GroupOwner = { orderNumber: null, organization: null, eventType: null }

const ownersOf = Routine.fn(function* (of: readonly InspectedGroup[]) {
  const rows = yield* InspectedGroups
  if (of.length === 0) return new Map<GroupAddress, GroupOwner>()
  return yield* rows.owners(of.map(({ address }) => address))
})

/** The order, the organization and the event of a group. */
const owner = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const row = yield* found(environment, address)
  return (yield* ownersOf([row])).get(address) ?? NO_OWNER
})

/**
 * The groups of the same order or event, of all kinds. Two reads by keys and one by the rows of the areas; each is
 * bounded.
 */
const relatedTo = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const rows = yield* InspectedGroups
  yield* found(environment, address)
  const addresses = yield* rows.related({ address, limit: RELATED_GROUPS_MAX })
  const groups = addresses.length === 0 ? [] : yield* rows.groups(environment, addresses)
  const owners = yield* ownersOf(groups)
  const listed = groups.map((row): RelatedGroup => {
    const { orderNumber, eventType } = owners.get(row.address) ?? NO_OWNER
    const root = row.actors.find((actor) => actor.address === row.address)
    return {
      group: row.address,
      order_number: orderNumber,
      event_type: eventType,
      states: root === undefined ? [] : statePaths(root.value),
      is_settled: row.isSettled,
      is_stuck: row.stoppedBecause !== null,
    }
  })
  const isFull = [...Map.groupBy(listed, ({ group }) => kindOf(group)).values()].some(
    (ofKind) => ofKind.length >= RELATED_GROUPS_MAX,
  )
  return { groups: listed, is_full: isFull } satisfies RelatedGroups
})

/** Reads journals, so it is called for few groups; a settled actor waits for no answer. */
const callsOf = Routine.fn(function* (found: readonly InspectedGroup[]) {
  const rows = yield* InspectedGroups
  const open = found.filter(({ isSettled }) => !isSettled).map(({ address }) => address)
  const journals = open.length === 0 ? new Map<GroupAddress, readonly string[]>() : yield* rows.calls(open)
  return new Map([...journals].map(([address, texts]) => [address, callsIn(texts)] as const))
})

function isIn({ actors }: InspectedGroup, state: string): boolean {
  return actors.some(({ value }) => statePaths(value).some((path) => `.${path}.`.includes(`.${state}.`)))
}

/** The innermost active states: `open.confirmed`; one for each parallel region. */
export function statePaths(value: JsonObject | string): readonly string[] {
  if (typeof value === "string") return [value]
  return Object.entries(value).flatMap(([key, inner]) =>
    statePaths(inner as JsonObject | string).map((path) => `${key}.${path}`),
  )
}

const found = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const rows = yield* InspectedGroups
  const row = yield* rows.group(environment, address)
  return row ?? (yield* new Refused({ code: "NOT_FOUND" }))
})

/** Fails for a group without a turn, which has nothing to record. */
const recorded = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const rows = yield* InspectedGroups
  const row = yield* found(environment, address)
  const [first] = yield* rows.journal({ address, afterRevision: 0, limit: 1 })
  if (first === undefined) return yield* new Refused({ code: "NOT_FOUND" })
  return { row, clock0Ms: first.instantMs }
})

/** The group with the data of its record's head. */
const headed = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const zones = yield* GroupZones
  const { row, clock0Ms } = yield* recorded(environment, address)
  return { row, of: { address, clock0Ms, zone: yield* zones.of(environment, address) } }
})

/** The record's first line. */
const head = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const texts = yield* RecordTexts
  const { of } = yield* headed(environment, address)
  return texts.head(of)
})

const entries = Routine.fn(function* (
  environment: Environment,
  address: GroupAddress,
  afterRevision: number,
) {
  const rows = yield* InspectedGroups
  const texts = yield* RecordTexts
  // Read before the journal: entries due by then are in the journal, or late.
  const nowMs = yield* Routine.nowMs
  const { row, clock0Ms } = yield* recorded(environment, address)
  const lines = yield* rows.journal({ address, afterRevision, limit: INSPECTED_ENTRIES_MAX })
  return {
    lines: texts.lines({ address, clock0Ms }, lines),
    revision: lines.at(-1)?.revision ?? afterRevision,
    stoppedBecause: row.stoppedBecause,
    nowMs,
  } satisfies GroupEntries
})

/**
 * The whole journal up to now, as a record that can be replayed alone. Turns during the read are left out: the record
 * ends at the revision of its request.
 */
const record = Routine.fn(function* (environment: Environment, address: GroupAddress) {
  const rows = yield* InspectedGroups
  const texts = yield* RecordTexts
  const { row, of } = yield* headed(environment, address)
  const writer = texts.writer(of)
  let written = -1
  const next = Routine.gen(function* () {
    if (written === -1) {
      written = 0
      return writer.begin()
    }
    const limit = Math.min(INSPECTED_ENTRIES_MAX, row.revision - written)
    if (limit < 0) return null
    const lines = limit === 0 ? [] : yield* rows.journal({ address, afterRevision: written, limit })
    const last = lines.at(-1)
    if (last !== undefined) {
      written = last.revision
      return writer.entries(lines)
    }
    written = Number.POSITIVE_INFINITY
    return writer.end(row.head)
  })
  return { next } satisfies RecordPieces
})
