/** The contract of what the inspector keeps and reads: sessions of operators, the audit, groups and their journals. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OperatorRows } from "../../src/http/access/operator-tokens.ts"
import { AccessRows } from "../../src/http/access/rows.ts"
import type { Organization } from "../../src/http/access/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { RunnerPhoneRows } from "../../src/areas/runner-phones/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { OperatorAudit } from "../../src/apps/inspector/audit.ts"
import type { AuditEntry } from "../../src/apps/inspector/audit.ts"
import { KeptBodies } from "../../src/apps/inspector/kept-bodies.ts"
import { OperatorSessionRows } from "../../src/apps/operators/operator-sessions.ts"
import type { OperatorSession } from "../../src/apps/operators/operator-sessions.ts"
import { InspectedGroups } from "../../src/apps/inspector/rows.ts"
import type { GroupQuery } from "../../src/apps/inspector/rows.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { CurrentRequester } from "../../src/engine/services/requester.ts"
import { booked, reservations, partner, sandboxPartner, subscribe } from "./harness.ts"
import type { ServiceTags, ServicesHarness } from "./harness.ts"
import { delivery } from "./delivery-rows.ts"
import { transacted } from "./transacted.ts"

type Ports =
  | DeliveryRows
  | RunnerPhoneRows
  | VehicleRows
  | WebhookStore
  | AccessRows
  | InspectedGroups
  | KeptBodies
  | OperatorAudit
  | OperatorRows
  | OperatorSessionRows

export interface InspectionHarness extends ServicesHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Ports | ServiceTags>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

const session: OperatorSession = {
  tokenHash: "1".repeat(64),
  operatorTokenId: "token_1",
  createdAtMs: T,
  endsAtMs: T + 10,
}

const entry: AuditEntry = {
  environment: "sandbox",
  atMs: T,
  operatorTokenId: "token_1",
  actor: "reservation/res_1",
  eventType: "order.loaded",
  outcome: "taken",
  code: null,
  revision: 3,
}

const everything: GroupQuery = {
  environment: "production",
  kind: null,
  addressPart: null,
  orderNumber: null,
  organization: null,
  isOpen: false,
  isStopped: false,
  dueBeforeMs: null,
  beforeNumber: null,
  limit: 100,
}

const sessions = Effect.serviceFunctions(OperatorSessionRows)
const audit = Effect.serviceFunctions(OperatorAudit)
const operators = Effect.serviceFunctions(OperatorRows)
const groups = Effect.serviceFunctions(InspectedGroups)
const access = Effect.serviceFunctions(AccessRows)
const bodies = Effect.serviceFunctions(KeptBodies)
const deliveries = Effect.serviceFunctions(DeliveryRows)
const phones = Effect.serviceFunctions(RunnerPhoneRows)
const vehicles = Effect.serviceFunctions(VehicleRows)
const webhooks = Effect.serviceFunctions(WebhookStore)

const requester = { request: "7d9f6c1e-0000-4000-8000-000000000001", type: "key", id: "key_1" } as const

const request = {
  requestId: requester.request,
  environment: "production",
  organizationId: partner.organizationId,
  atMs: T,
  method: "POST",
  route: "/rs/v1/reservations",
  status: 201,
  code: null,
  keyId: "key_1",
  lastFour: "aZ09",
  sentId: "theirs-1",
  sent: '{"zone_id":"zone_1"}',
  answered: null,
  isCut: false,
} as const

const exchange = {
  actor: "webhook-delivery/1",
  attempt: 1,
  atMs: T,
  status: null,
  sent: "{}",
  answered: null,
  isCut: false,
} as const

const ownOrganization: Organization = {
  organizationId: partner.organizationId,
  name: "",
  isActive: true,
  isFleetPartner: true,
  isSandboxPartner: false,
  environments: ["production"],
  createdAtMs: T,
  updatedAtMs: T,
}

export function inspectionRowsContract(name: string, make: () => InspectionHarness): void {
  describe(`inspection rows: ${name}`, () => {
    test("an operator's session is found by its hash until it is removed, or has ended and is purged", async () => {
      const h = make()
      const find = (tokenHash: string) => h.run(sessions.byHash(tokenHash))
      const others = ["2", "3"].map((digit, later) => ({
        ...session,
        tokenHash: digit.repeat(64),
        endsAtMs: T + 11 + later,
      }))
      await transacted(h, ...[session, ...others].map((one) => sessions.insert(one)))
      expect(await find(session.tokenHash)).toEqual(session)
      await transacted(h, sessions.remove(session.tokenHash), sessions.remove("0".repeat(64)))
      expect(await find(session.tokenHash)).toBeNull()
      const purge = (beforeMs: number) => transacted(h, sessions.purge({ beforeMs, limit: 100 }))
      expect([await purge(T + 10), await purge(T + 11)]).toEqual([[0], [1]])
      expect([await find("2".repeat(64)), await find("3".repeat(64))]).toEqual([null, others[1]])
    })

    test("the audit lists an environment's entries newest first under the token's label, and forgets by age", async () => {
      const h = make()
      const token = {
        tokenId: "token_1",
        environment: "sandbox",
        label: "night shift",
        hash: "1".repeat(64),
        lastFour: "aZ09",
        createdAtMs: T,
        revokedAtMs: null,
        role: null,
        siteIds: null,
      } as const
      const refused = {
        ...entry,
        atMs: T + 1,
        outcome: "refused",
        code: "INVALID_STATE",
        revision: null,
      } as const
      await transacted(
        h,
        operators.insert(token),
        audit.insert(entry),
        audit.insert(refused),
        audit.insert({ ...entry, environment: "production" }),
      )
      const list = (beforeNumber: number | null = null, limit = 100) =>
        h.run(audit.list({ environment: "sandbox", beforeNumber, limit }))
      const kept = { operator: "night shift", number: expect.any(Number) as number }
      const [newest, older] = await list()
      expect([newest, older]).toEqual([
        { ...refused, ...kept },
        { ...entry, ...kept },
      ])
      expect(await list(newest?.number)).toEqual([older])
      expect(await list(null, 1)).toEqual([newest])
      const purge = (beforeMs: number) => transacted(h, audit.purge({ beforeMs, limit: 1 }))
      expect([await purge(T - 1), await purge(T), await purge(T), await purge(T)]).toEqual([
        [0],
        [1],
        [1],
        [0],
      ])
      expect(await list()).toEqual([newest])
    })

    test("the entry of a command has its requester, and entries that it causes have none", async () => {
      const h = make()
      const booking = booked(h)
      const id = await booking
      const canceling = reservations.cancel(partner, id)
      await h.run(Effect.locally(canceling, CurrentRequester, requester))
      const lines = await h.run(
        groups.journal({ address: `reservation/${id}`, afterRevision: 0, limit: 100 }),
      )
      expect(lines.map((line) => line.requester)).toEqual([undefined, requester])
      expect(lines.map(({ text }) => text).join("")).not.toContain(requester.request)
    })

    test("a request is kept under its own id, an attempt with its last bodies, both until their time", async () => {
      const h = make()
      await transacted(h, access.insertOrganization({ ...ownOrganization, name: "Bolt" }))
      const again = { ...exchange, atMs: T + 1, status: 500, answered: '{"code":"door_jammed"}' }
      await transacted(h, bodies.append({ requests: [request], exchanges: [exchange, again] }))
      await transacted(
        h,
        bodies.append({ requests: [{ ...request, status: 500 }], exchanges: [{ ...exchange, attempt: 2 }] }),
      )
      expect(await h.run(bodies.request("production", request.requestId))).toEqual({
        ...request,
        organization: "Bolt",
      })
      expect(await h.run(bodies.request("sandbox", request.requestId))).toBeNull()
      expect(await h.run(bodies.exchanges([exchange.actor, "other/1"]))).toEqual([
        again,
        { ...exchange, attempt: 2 },
      ])
      const purge = { beforeMs: T, limit: 100 }
      await transacted(h, bodies.purgeRequests(purge), bodies.purgeExchanges(purge))
      expect(await h.run(bodies.request("production", request.requestId))).toBeNull()
      expect(await h.run(bodies.exchanges([exchange.actor]))).toEqual([again])
    })

    test("groups are listed newest first and narrow by kind, state, what is due and place", async () => {
      const h = make()
      const first = `reservation/${await booked(h)}`
      const second = `reservation/${await booked(h)}`
      const listed = async (more: Partial<GroupQuery> = {}) =>
        (await h.run(groups.list({ ...everything, kind: "reservation", ...more }))).map(
          ({ address }) => address,
        )
      expect(await listed()).toEqual([second, first])
      expect(await listed({ kind: "vehicle" })).toEqual([])
      expect(await listed({ kind: null })).toEqual(expect.arrayContaining([second, first]))
      expect(await listed({ environment: "sandbox" })).toEqual([])
      expect(await listed({ limit: 1 })).toEqual([second])
      expect(await listed({ isStopped: true })).toEqual([])
      expect(await listed({ dueBeforeMs: h.now() })).toEqual([])
      expect(await listed({ dueBeforeMs: h.now() + 120 * MINUTE_MS })).toEqual([second, first])
      await h.run(reservations.cancel(partner, second.split("/")[1] ?? ""))
      expect(await listed({ isOpen: true })).toEqual([first])
      for (const addressPart of [first, first.slice(-6), first.slice(-6, -1)])
        expect(await listed({ addressPart })).toEqual([first])
      // Characters with a meaning in patterns are characters.
      for (const addressPart of ["%", "_____", "res_nobody"])
        expect(await listed({ addressPart, kind: null })).toEqual([])
      const known = await h.run(groups.group("production", second))
      expect(known).toMatchObject({
        address: second,
        kind: "reservation",
        isSettled: true,
        stoppedBecause: null,
      })
      expect(await listed({ beforeNumber: known?.number ?? 0 })).toEqual([first])
      expect(await h.run(groups.group("sandbox", second))).toBeNull()
    })

    test("groups are found by order number and by organization, whose rows know them, with their webhooks", async () => {
      const h = make()
      const { webhook_id } = await subscribe(h)
      const first = await booked(h, { order_number: "A-1187" })
      const second = await booked(h, { order_number: "A-1188" })
      const elsewhere = await booked(h, { order_number: "A-1187" }, sandboxPartner)
      await h.run(reservations.reportBot(partner, first, { status: "INBOUND" }))
      const listed = async (more: Partial<GroupQuery>) =>
        (await h.run(groups.list({ ...everything, ...more }))).map(({ address }) => address)
      const ofOrder = await listed({ orderNumber: "a-1187" })
      expect(ofOrder).toContain(`reservation/${first}`)
      expect(ofOrder.filter((address) => !address.startsWith("webhook-delivery/"))).toHaveLength(1)
      const sent = ofOrder.filter((address) => address.startsWith("webhook-delivery/"))
      expect(sent.length).toBeGreaterThan(0)
      expect(await listed({ orderNumber: "A-11" })).toEqual([])
      expect(await listed({ orderNumber: "A-1187", environment: "sandbox" })).toContain(
        `reservation/${elsewhere}`,
      )
      const own = await listed({ organization: partner.organizationId })
      expect(own).toEqual(expect.arrayContaining([...ofOrder, `reservation/${second}`]))
      // Without a row of its own, an organization is found by its id alone.
      expect((await h.run(groups.owners(own))).get(`reservation/${first}`)).toEqual({
        orderNumber: "A-1187",
        organization: null,
        eventType: null,
      })
      const bolt = "Bolt 100% Robotics"
      await transacted(h, access.insertOrganization({ ...ownOrganization, name: bolt }))
      for (const organizationText of ["bolt", "100%", "ROBOTICS", partner.organizationId])
        expect(await listed({ organization: organizationText })).toEqual(own)
      // Characters with a meaning in patterns are characters.
      for (const organization of ["_olt", "org_two", "no one"])
        expect(await listed({ organization })).toEqual([])
      const owners = await h.run(groups.owners([...own, `webhook-endpoint/${webhook_id}`, "vehicle/veh_1"]))
      expect(owners.get(`reservation/${second}`)).toEqual({
        orderNumber: "A-1188",
        organization: bolt,
        eventType: null,
      })
      for (const address of sent)
        expect(owners.get(address)).toMatchObject({
          orderNumber: "A-1187",
          organization: bolt,
          eventType: expect.stringMatching(/^reservation\./),
        })
      expect(owners.get(`webhook-endpoint/${webhook_id}`)).toEqual({
        orderNumber: null,
        organization: bolt,
        eventType: null,
      })
      expect(owners.has("vehicle/veh_1")).toBe(false)
    })

    test("related groups are found by rows, from each side: an order, its webhooks and their endpoint, a run and its vehicle", async () => {
      const h = make()
      const related = async (address: string, limit = 10) =>
        (await h.run(groups.related({ address, limit }))).toSorted()
      const { webhook_id } = await subscribe(h)
      const id = await booked(h, { order_number: "A-1187" })
      for (const status of ["INBOUND", "ARRIVED", "READY_FOR_HANDOFF"] as const)
        await h.run(reservations.reportBot(partner, id, { status }))
      await booked(h, {}, sandboxPartner)
      const call = { callId: "call_1", environment: "production", siteId: "s", message: null } as const
      const rings = { ...call, reservationId: id, callerName: "Kim", calledAtMs: T, endsAtMs: T + 1 }
      await transacted(h, phones.insertCall(rings))
      const own = await related(`reservation/${id}`)
      expect(own).toContain("runner-call/call_1")
      expect(await related("runner-call/call_1")).toContain(`reservation/${id}`)
      const sent = own.filter((address) => address.startsWith("webhook-delivery/"))
      expect(sent.length).toBeGreaterThan(1)
      for (const address of sent) {
        const back = await related(address)
        expect(back).toContain(`reservation/${id}`)
        expect(back).toContain(`webhook-endpoint/${webhook_id}`)
        expect(back.filter((one) => one.startsWith("webhook-delivery/"))).toEqual([])
      }
      expect(await related(`webhook-endpoint/${webhook_id}`)).toEqual(sent)
      // The newest of each kind.
      const newest = (await related(`reservation/${id}`, 1)).filter((one) => sent.includes(one))
      const inOrder = (await h.run(groups.groups("production", own))).map(({ address }) => address)
      expect(newest).toEqual([inOrder.at(-1)])
      expect(inOrder[0]).toMatch(/^webhook-delivery/)
      expect(await h.run(groups.groups("sandbox", own))).toEqual([])
      // A run, an errand and a compartment have one id; a redelivery is related to what it sends again.
      const run = { ...delivery, vehicleId: "veh_related", status: "LOADED" } as const
      const vehicle = { vehicleId: "veh_related", fleetId: run.fleetId, environment: "production" } as const
      const again = {
        webhookId: webhook_id,
        eventId: "evt_run",
        subjectId: run.deliveryId,
        redeliveredAtMs: T,
      }
      await transacted(
        h,
        vehicles.insert({ ...vehicle, label: "Van", isSynthetic: false, isOnline: true }),
        deliveries.insert(run),
        webhooks.insertDelivery({ ...again, deliveryId: "sent_1", redeliveryOf: null }),
        webhooks.insertDelivery({ ...again, deliveryId: "sent_2", redeliveryOf: "sent_1" }),
      )
      const kinds = ["compartment", "courier-order", "delivery"].map((kind) => `${kind}/${run.deliveryId}`)
      for (const address of kinds)
        expect(await related(address)).toEqual(
          expect.arrayContaining([
            ...kinds.filter((one) => one !== address),
            "vehicle/veh_related",
            "webhook-delivery/sent_1",
          ]),
        )
      expect(await related("vehicle/veh_related")).toEqual(expect.arrayContaining(kinds))
      expect(await related("webhook-delivery/sent_1")).toContain("webhook-delivery/sent_2")
      expect(await related("webhook-delivery/sent_2")).toContain("webhook-delivery/sent_1")
      expect(await related("vehicle/veh_none")).toEqual([])
    })

    test("groups are found by a word of their journal, and counted by the state of their root", async () => {
      const h = make()
      const [first, second] = [`reservation/${await booked(h)}`, `reservation/${await booked(h)}`]
      await h.run(reservations.reportBot(partner, first.split("/")[1] ?? "", { status: "INBOUND" }))
      await h.run(reservations.reportBot(partner, first.split("/")[1] ?? "", { status: "ARRIVED" }))
      const saying = async (word: string) => [...(await h.run(groups.withWord([first, second], word)))]
      expect(await saying("bot.arrived")).toEqual([first])
      for (const word of ["bot.arr", "%", '"']) expect(await saying(word)).toEqual([])
      expect(await h.run(groups.states("production", "vehicle"))).toEqual([])
      const states = await h.run(groups.states("production", "reservation"))
      expect(states.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
        { value: { open: "arrived" }, open: 1 },
        { value: { open: "confirmed" }, open: 1 },
      ])
      await h.run(reservations.cancel(partner, second.split("/")[1] ?? ""))
      expect(await h.run(groups.states("production", "reservation"))).toEqual([
        { value: { open: "arrived" }, open: 1 },
      ])
      expect(await h.run(groups.states("sandbox", "reservation"))).toEqual([])
    })

    test("open groups are counted by kind, and how many of them a fault has stopped", async () => {
      const h = make()
      expect(await h.run(groups.counts("production"))).toEqual([])
      const ids = [await booked(h), await booked(h)]
      expect(await h.run(groups.counts("production"))).toEqual([{ kind: "reservation", open: 2, stuck: 0 }])
      await h.run(reservations.cancel(partner, ids[0] ?? ""))
      expect(await h.run(groups.counts("production"))).toEqual([{ kind: "reservation", open: 1, stuck: 0 }])
      expect(await h.run(groups.counts("sandbox"))).toEqual([])
    })

    test("a group's journal comes in the order of its revisions, and its calls by group", async () => {
      const h = make()
      const address = `reservation/${await booked(h)}`
      await h.run(reservations.cancel(partner, address.split("/")[1] ?? ""))
      const lines = await h.run(groups.journal({ address, afterRevision: 0, limit: 100 }))
      expect(lines.map(({ revision }) => revision)).toEqual(lines.map((_, at) => at + 1))
      expect(lines.length).toBeGreaterThan(1)
      expect(await h.run(groups.journal({ address, afterRevision: 1, limit: 1 }))).toEqual([lines[1]])
      expect(await h.run(groups.calls([address]))).toEqual(new Map())
    })
  })
}
