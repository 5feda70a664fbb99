/** The sandbox through HTTP: the walk, exceptions, and the load photo behind its link. */

import { describe, expect, test } from "vitest"
import { EXCEPTION_CODES, endsTheTask } from "../../src/model/handoff.ts"
import { DAY_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { PLACEHOLDER_PHOTO } from "../../src/engine/services/photos/photo-files.ts"
import { HOOK, OPEN_LINK, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api } from "./api.ts"

interface Walk extends Api {
  readonly path: string
  readonly step: () => Promise<Answered>
}

/** One booking; with a receiver of its events if `isTold`. */
async function sandbox({ isTold } = { isTold: false }): Promise<Walk> {
  const api = await makeApi({ environment: "sandbox" })
  if (isTold)
    await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
  const path = `/rs/v1/reservations/${await api.book()}`
  return { ...api, path, step: () => api.call("POST", `${path}/advance`) }
}

interface Event {
  readonly event_type: string
  readonly occurred_at: string
  readonly data: {
    readonly reservation: {
      readonly status: string
      readonly handoff: { readonly load_photo_url: string | null }
    }
    readonly milestone?: string
    readonly reason_code?: string
    readonly message?: string
    readonly previous_status?: string | null
  }
}

async function events(api: Api): Promise<readonly Event[]> {
  await api.advance(SECOND_MS)
  return api.service.received(HOOK).map(({ body }) => JSON.parse(body) as Event)
}

describe("POST /rs/v1/reservations/{id}/advance", () => {
  test("nine calls walk from confirmed to completed, with their events and no call to the open link", async () => {
    const api = await makeApi({ environment: "sandbox" })
    await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
    const path = `/rs/v1/reservations/${await api.book()}`
    const seen: unknown[] = []
    for (let count = 0; count < 9; count += 1) {
      const { status, data } = await api.call("POST", `${path}/advance`)
      const { status: now, bot, handoff } = reservationOf(data)
      seen.push([
        status,
        data["step"],
        now,
        bot?.status ?? null,
        handoff?.status,
        handoff?.load_photo_url !== null,
      ])
      await api.advance(SECOND_MS)
    }
    expect(seen).toEqual([
      [200, "runner_assigned", "confirmed", null, "ASSIGNED", false],
      [200, "runner_at_store", "confirmed", null, "AT_STORE", false],
      [200, "order_in_hand", "confirmed", null, "RETRIEVED", false],
      [200, "bot_arrived", "arrived", "ARRIVED", "RETRIEVED", false],
      [200, "runner_at_bot", "arrived", "ARRIVED", "AT_UNIT", false],
      [200, "bot_ready", "arrived", "READY_FOR_HANDOFF", "HANDOFF_READY", false],
      [200, "runner_loaded", "arrived", "READY_FOR_HANDOFF", "LOADED", true],
      [200, "bot_secured", "arrived", "SECURED", "LOADED", false],
      [200, "bot_departed", "completed", "DEPARTED", "LOADED", false],
    ])
    expect(
      (await events(api)).map(
        ({ data }) => data.milestone ?? `${data.previous_status} > ${data.reservation.status}`,
      ),
    ).toEqual([
      "null > confirmed",
      "task_started",
      "order_in_hand",
      "confirmed > arrived",
      "runner_at_unit",
      "handoff_complete",
      "arrived > completed",
    ])
    expect(api.service.received(OPEN_LINK)).toEqual([])

    const tenth = await api.call("POST", `${path}/advance`)
    expect([tenth.status, tenth.code]).toEqual([409, "INVALID_STATE"])
  })

  test("S2: what the caller's bot reported already is skipped", async () => {
    const api = await sandbox()
    await api.call("POST", `${api.path}/bot`, { body: { status: "SECURED" } })
    const steps: unknown[] = []
    for (let count = 0; count < 6; count += 1) steps.push((await api.step()).data["step"])
    expect(steps).toEqual([
      "runner_assigned",
      "runner_at_store",
      "order_in_hand",
      "runner_at_bot",
      "runner_loaded",
      "bot_departed",
    ])
  })

  test("an empty object is a step as no body is", async () => {
    const api = await sandbox()
    const { data } = await api.call("POST", `${api.path}/advance`, { body: {} })
    expect(data["step"]).toBe("runner_assigned")
  })

  test.each([
    ["advance", null],
    ["operations", ""],
  ])("an exception by %s without a message (%j) is told with the text of its code", async (by, message) => {
    const api = await sandbox({ isTold: true })
    const body = { reason_code: "bot_no_show", message }
    const { status } = await (by === "advance"
      ? api.call("POST", `${api.path}/advance`, { body })
      : api.operate("POST", `/reservations/${api.path.split("/").at(-1)}/exceptions`, { body }))
    expect(status).toBe(200)
    const told = "The bot did not become ready while the runner waited."
    expect((await events(api)).at(-1)?.data.message).toBe(told)
  })

  test.each(EXCEPTION_CODES)(
    "exception %s: 200 without a step, its event, and the end of the task or not",
    async (code) => {
      const api = await sandbox()
      await api.call("POST", "/rs/v1/webhooks", {
        body: { url: HOOK, subscribed_events: ["reservation.exception"] },
      })
      const body = { reason_code: code, message: "as told" }
      const { status, data } = await api.call("POST", `${api.path}/advance`, { body })
      expect([status, data["step"], reservationOf(data).handoff?.status]).toEqual([
        200,
        null,
        endsTheTask(code) ? "FAILED" : "QUEUED",
      ])
      const again = await api.call("POST", `${api.path}/advance`, { body })
      expect([again.status, again.code]).toEqual(endsTheTask(code) ? [409, "INVALID_STATE"] : [200, null])
      expect((await events(api)).map(({ data: told }) => told.reason_code)).toEqual([code])
    },
  )

  test.each<[string, (api: Awaited<ReturnType<typeof sandbox>>) => Promise<Answered>]>([
    ["a canceled reservation", (api) => api.call("DELETE", api.path)],
    [
      "ABORTED",
      (api) => api.call("POST", `${api.path}/bot`, { body: { status: "ABORTED", reason: "tyre" } }),
    ],
  ])("S4: 409 INVALID_STATE after %s", async (_, ends) => {
    const api = await sandbox()
    expect((await ends(api)).status).toBe(200)
    const { status, code } = await api.step()
    expect([status, code]).toEqual([409, "INVALID_STATE"])
  })

  test("S4: 404 NOT_FOUND to an unknown id", async () => {
    const api = await sandbox()
    const { status, code } = await api.call("POST", "/rs/v1/reservations/res_unknown/advance")
    expect([status, code]).toEqual([404, "NOT_FOUND"])
  })

  test.each<[string, string]>([
    ["reason_code", '{"reason_code":"bored"}'],
    ["message", '{"reason_code":"bot_no_show","message":""}'],
    ["reason_code", '{"reason_code":null}'],
    ["reason_code", '{"message":null}'],
    ["reason_code", '{"reason_code":null,"message":null}'],
    ["reason_code", '{"reason_code":null,"message":"no code"}'],
    ["reason_code", '{"reason_code":null,"reason":null}'],
    ["reason_code", '{"message":"no code"}'],
    ["reason_code", '{"reason":"bot_no_show"}'],
    ["__proto__", '{"__proto__":{"reason_code":"bot_no_show"}}'],
    ["body", "[]"],
    ["body", "{"],
    ["body", " "],
  ])("400 VALIDATION_ERROR names %s of %s, and no step is taken", async (field, text) => {
    const api = await sandbox()
    const { status, body } = await api.call("POST", `${api.path}/advance`, { text })
    expect([status, body["details"]]).toEqual([400, [{ field, message: expect.any(String) as string }]])
    expect((await api.step()).data["step"]).toBe("runner_assigned")
  })
})

describe("L5: load photos", () => {
  async function loaded(isTold = false): Promise<{
    readonly api: Awaited<ReturnType<typeof sandbox>>
    readonly link: string
  }> {
    const api = await sandbox({ isTold })
    let link: string | null = null
    for (let count = 0; count < 7; count += 1) {
      link = reservationOf((await api.step()).data).handoff?.load_photo_url ?? null
    }
    const { pathname, search } = new URL(link ?? "")
    return { api, link: `${pathname}${search}` }
  }

  test("S5: the signed link gives the photo, without a key", async () => {
    const { api, link } = await loaded()
    const { status, bytes, headers } = await api.call("GET", link, { key: null })
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "image/jpeg",
      "private",
    ])
    expect(bytes).toEqual(Buffer.from(PLACEHOLDER_PHOTO.bytes))
  })

  test("X11: on the event of the photo alone, and that link opens", async () => {
    const { api } = await loaded(true)
    const links = (await events(api)).map(({ data }) => [
      data.milestone ?? "-",
      data.reservation.handoff?.load_photo_url ?? null,
    ])
    const [[milestone, told] = [], ...more] = links.filter(([, one]) => one !== null)
    expect([milestone, more, links.length]).toEqual(["handoff_complete", [], 6])
    const { pathname, search } = new URL(told ?? "")
    expect((await api.call("GET", `${pathname}${search}`, { key: null })).status).toBe(200)
  })

  test("X11: null in lists and write responses, signed afresh by a read", async () => {
    const { api, link } = await loaded()
    await api.advance(SECOND_MS)
    const one = await api.call("GET", api.path)
    const fresh = reservationOf(one.data).handoff?.load_photo_url ?? ""
    expect(fresh).not.toContain(link)
    const { pathname, search } = new URL(fresh)
    expect((await api.call("GET", `${pathname}${search}`, { key: null })).status).toBe(200)
    const list = await api.call("GET", "/rs/v1/reservations")
    expect(list.data["reservations"]).toMatchObject([{ handoff: { load_photo_url: null } }])
    const report = await api.call("POST", `${api.path}/bot`, { body: { status: "SECURED" } })
    expect(reservationOf(report.data).handoff?.load_photo_url).toBeNull()
    const canceled = await api.call("DELETE", api.path)
    expect(reservationOf(canceled.data).handoff).toMatchObject({ status: "LOADED", load_photo_url: null })
  })

  test.each<[string, (link: string) => string]>([
    ["no signature", (link) => link.replace(/&sig=.*/, "")],
    ["no time", (link) => link.replace(/exp=\d+&/, "")],
    ["another signature", (link) => link.replace(/sig=../, "sig=zz")],
    ["a later time", (link) => link.replace(/exp=\d/, "exp=9")],
    ["another photo", (link) => link.replace("pho_", "pho_x")],
    ["two signatures", (link) => `${link}&sig=00`],
  ])("404 NOT_FOUND: %s", async (_, broken) => {
    const { api, link } = await loaded()
    const { status, code } = await api.call("GET", broken(link), { key: null })
    expect([status, code]).toEqual([404, "NOT_FOUND"])
  })

  test("404 NOT_FOUND after 24 hours", async () => {
    const { api, link } = await loaded()
    await api.advance(DAY_MS)
    expect((await api.call("GET", link, { key: null })).status).toBe(404)
  })
})
