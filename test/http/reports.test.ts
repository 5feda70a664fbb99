/** Bot reports through HTTP: the choices T. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { bringTo, told, toldInShort } from "../conformance/harness.ts"
import { HOOK, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const LIST = "/rs/v1/reservations"

interface Visit extends Api {
  readonly id: string
  readonly report: (status: string, more?: object) => Promise<Answered>
  /** The code of a refusal, else the status of the answer. */
  readonly outcome: (status: string, more?: object) => Promise<string>
  readonly bot: () => Promise<Readonly<Record<string, unknown>>>
}

async function visit(): Promise<Visit> {
  const api = await makeApi()
  await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
  const id = await api.book()
  const report: Visit["report"] = (status, more) =>
    api.call("POST", `${LIST}/${id}/bot`, { body: { status, ...more } })
  return {
    ...api,
    id,
    report,
    outcome: async (status, more) => {
      const answered = await report(status, more)
      return answered.code ?? String(answered.status)
    },
    bot: async () => ({ ...reservationOf((await api.call("GET", `${LIST}/${id}`)).data).bot }),
  }
}

describe("POST /rs/v1/reservations/{id}/bot", () => {
  test("T2: READY_FOR_HANDOFF and SECURED leave confirmed; a departure tells arrived and completed", async () => {
    const api = await visit()
    for (const status of ["READY_FOR_HANDOFF", "SECURED"]) {
      expect(reservationOf((await api.report(status)).data).status).toBe("confirmed")
    }
    expect(reservationOf((await api.report("DEPARTED")).data).status).toBe("completed")
    expect(await toldInShort(api.service)).toEqual([
      "null > confirmed",
      "confirmed > arrived",
      "arrived > completed",
    ])
  })

  test("T3: a repeat updates label and eta, keeps asserted_at, and is silent", async () => {
    const api = await visit()
    await api.report("ARRIVED", { label: "Blue 7" })
    const before = await api.bot()
    await api.advance(MINUTE_MS)
    const eta = iso(api.now() + HOUR_MS)
    expect(await api.outcome("ARRIVED", { label: "Red 2", eta })).toBe("200")
    expect(await api.bot()).toEqual({ ...before, label: "Red 2", eta })
    expect(await toldInShort(api.service)).toEqual(["null > confirmed", "confirmed > arrived"])
  })

  test("T4: a report behind is 409 BOT_STATUS_REGRESSION, kept in the log, and changes nothing", async () => {
    const api = await visit()
    await api.report("ARRIVED", { label: "Blue 7" })
    const before = await api.bot()
    expect(await api.outcome("INBOUND", { label: "Red 2" })).toBe("BOT_STATUS_REGRESSION")
    expect(await api.bot()).toEqual(before)
    const log = await api.run(Effect.flatMap(ReservationRows, (rows) => rows.reports(api.id)))
    expect(log.map(({ status, label, isApplied }) => [status, label, isApplied])).toEqual([
      ["ARRIVED", "Blue 7", true],
      ["INBOUND", "Red 2", false],
    ])
  })

  test("T5: absent keeps label and eta, null clears them", async () => {
    const api = await visit()
    const eta = iso(api.now() + HOUR_MS)
    await api.report("INBOUND", { label: "Blue 7", eta })
    await api.report("ARRIVED")
    expect(await api.bot()).toMatchObject({ label: "Blue 7", eta })
    await api.report("ARRIVED", { label: null, eta: null })
    expect(await api.bot()).toMatchObject({ label: null, eta: null })
  })

  test.each([
    ["eta", DAY_MS, "200"],
    ["eta", DAY_MS + 1, "VALIDATION_ERROR"],
    ["eta", -DAY_MS, "200"],
    ["eta", -DAY_MS - 1, "VALIDATION_ERROR"],
    ["occurred_at", 5 * MINUTE_MS, "200"],
    ["occurred_at", 5 * MINUTE_MS + 1, "VALIDATION_ERROR"],
    ["occurred_at", -30 * DAY_MS, "200"],
  ])("T6 (limit): %s %i ms from now answers %s", async (field, ms, code) => {
    const api = await visit()
    expect(await api.outcome("INBOUND", { [field]: iso(api.now() + ms) })).toBe(code)
  })

  test.each([
    ["label", 64],
    ["reason", 256],
  ])("limit: %s has up to %i code points", async (field, max) => {
    const api = await visit()
    expect(await api.outcome("INBOUND", { [field]: "😀".repeat(max) })).toBe("200")
    expect(await api.outcome("INBOUND", { [field]: "😀".repeat(max + 1) })).toBe("VALIDATION_ERROR")
  })

  test("T7: an earlier time than the last status had is accepted as reported", async () => {
    const api = await visit()
    await api.report("INBOUND")
    const occurred_at = iso(api.now() - HOUR_MS)
    expect(await api.outcome("ARRIVED", { occurred_at })).toBe("200")
    expect(await api.bot()).toMatchObject({ status: "ARRIVED", asserted_at: occurred_at })
  })

  test.each(["SECURED", "DEPARTED"])("T8: after %s nothing aborts", async (status) => {
    const api = await visit()
    await api.report(status)
    const code = status === "SECURED" ? "BOT_STATUS_REGRESSION" : "INVALID_STATE"
    expect(await api.outcome("ABORTED")).toBe(code)
  })

  test("T9: ABORTED is final, ends an unloaded task silently, and leaves the reservation", async () => {
    const api = await visit()
    await bringTo(api.service, api.id, "RETRIEVED")
    const before = await toldInShort(api.service)
    const { data } = await api.report("ABORTED", { reason: "flat tyre" })
    expect([reservationOf(data).status, reservationOf(data).handoff?.status]).toEqual([
      "confirmed",
      "CANCELED",
    ])
    expect(await api.outcome("ABORTED")).toBe("200")
    expect(await api.outcome("ARRIVED")).toBe("BOT_STATUS_REGRESSION")
    expect(await toldInShort(api.service)).toEqual(before)
    expect((await api.call("DELETE", `${LIST}/${api.id}`)).status).toBe(200)
  })

  test.each<[string, (api: Visit) => Promise<Answered>, string]>([
    ["completed", (api) => api.report("DEPARTED"), "DEPARTED"],
    ["canceled", (api) => api.call("DELETE", `${LIST}/${api.id}`), "INBOUND"],
  ])("T10: on a %s reservation only a repeat passes", async (_, ends, last) => {
    const api = await visit()
    await api.report("INBOUND")
    await ends(api)
    expect(await api.outcome(last)).toBe("200")
    for (const status of ["ARRIVED", "SECURED", "ABORTED"]) {
      expect(await api.outcome(status)).toBe("INVALID_STATE")
    }
  })

  test("T11: a reason counts beside ABORTED alone", async () => {
    const api = await visit()
    await api.report("INBOUND", { reason: "ignored" })
    await api.report("ABORTED", { reason: "kept" })
    const log = await api.run(Effect.flatMap(ReservationRows, (rows) => rows.reports(api.id)))
    expect(log.map(({ reason }) => reason)).toEqual([null, "kept"])
  })

  test.each(["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED", "ABORTED"])(
    "T12: the first report may be %s",
    async (status) => {
      const api = await visit()
      expect(await api.outcome(status)).toBe("200")
    },
  )

  test("T13: events of one change are a microsecond apart, each with its own snapshot", async () => {
    const api = await visit()
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    const before = (await told(api.service)).length
    await api.report("DEPARTED")
    const events = (await told(api.service)).slice(before)
    expect(events.map(({ event_type, data }) => [event_type, data.reservation.status])).toEqual([
      ["reservation.handoff_updated", "confirmed"],
      ["reservation.status_changed", "arrived"],
      ["reservation.status_changed", "completed"],
    ])
    const micros = events.map(({ occurred_at }) => Number(occurred_at.slice(-7, -1)))
    const [first = 0] = micros
    expect(micros).toEqual([first, first + 1, first + 2])
  })
})
