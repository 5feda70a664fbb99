/** An engineer on call at the inspector of the running service: what is open, a group by a part of its id, its record. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startReceiver } from "../attacks/receiver.ts"
import { until } from "../live/node/nodes.ts"
import { onDatabases, inMinutes } from "./served.ts"
import type { Json } from "./served.ts"
import { program } from "../../src/apps/composition/program.ts"
import { readSource } from "../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import { replayRecord } from "../../src/simulation/replay.ts"

const REFUSAL = JSON.stringify({ error: "door_jammed", message: "Adelheid did not open" })

onDatabases("an engineer on call", { hasDemo: true }, ({ process, ask }) => {
  test("signs in, counts what is open, finds a reservation by the end of its id, and replays its record", async () => {
    const demo = JSON.parse(readFileSync(join(process().data, "demo.json"), "utf8"))
    const { api_key, operator_token, zone_id, retailer_id } = demo.sandbox
    const booked = await ask({
      host: "sandbox",
      path: "/rs/v1/reservations",
      bearer: api_key,
      body: {
        zone_id,
        retailer_id,
        order_number: "ORDER-ON-CALL",
        end_user_name: "Adelheid Quetzal",
        end_user_phone: "+15125550100",
        open_link_url: "http://127.0.0.1:9/open",
        arrival_window_start: inMinutes(30),
        arrival_window_end: inMinutes(60),
      },
    })
    expect(booked.status, booked.text).toBe(201)
    const id = booked.data.reservation.reservation_id as string

    const origin = process().urls.sandbox
    const signedIn = await ask({
      host: "sandbox",
      path: "/inspect/sign-in",
      headers: { origin },
      body: new URLSearchParams({ token: operator_token, to: "/inspect" }),
    })
    expect(signedIn.status).toBe(303)
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const page = async (path: string) => (await ask({ host: "sandbox", path, headers: { cookie } })).text

    const groups = await page("/inspect")
    expect(groups).toMatch(/<a href="\/inspect\?kind=reservation">reservation<\/a> 1 open/)
    expect(groups).toMatch(/\d+ s ago|\d+ min ago/)
    expect(await page(`/inspect?id=${id.slice(-6)}`)).toContain(`/inspect/groups/reservation/${id}`)
    const other = await page("/inspect?id=no-such-id")
    expect(other).not.toContain(id)
    expect(other).toContain("No open group is like that")
    expect(other).toContain("/inspect?id=no-such-id&#38;settled=1")
    expect(await page("/inspect?id=no-such-id&settled=1")).toContain("No group is like that")

    // The order number and the organization are in rows, never in the journal.
    const ofOrder = await page("/inspect?order=order-on-call&settled=1")
    expect(ofOrder).toContain(`/inspect/groups/reservation/${id}`)
    expect(ofOrder).toMatch(/Reservation · order ORDER-ON-CALL</)
    expect(await page("/inspect?order=ORDER-ON&settled=1")).toContain("No group is like that")
    expect(await page("/inspect?organization=no-such-organization")).toContain("No open group is like that")

    // Who asked: a command whose webhook the receiver refuses, from the failed call back to the key.
    const receiver = await startReceiver((response) =>
      response.writeHead(500, { "content-type": "application/json" }).end(REFUSAL),
    )
    const hook = await ask({
      host: "sandbox",
      path: "/rs/v1/webhooks",
      bearer: api_key,
      body: { url: receiver.url, subscribed_events: ["reservation.status_changed"] },
    })
    expect(hook.status, hook.text).toBe(201)
    const canceled = await ask({
      host: "sandbox",
      method: "DELETE",
      path: `/rs/v1/reservations/${id}`,
      bearer: api_key,
      headers: { "x-request-id": "caller-7" },
    })
    expect(canceled.status, canceled.text).toBe(200)
    const opened = async (path: string): Promise<Json> => JSON.parse(await page(path)).data
    const list = "/inspect?kind=webhook-delivery&order=ORDER-ON-CALL&settled=1"
    const delivery = /\/inspect\/groups\/webhook-delivery\/[^"]+/.exec(await page(list))?.[0] ?? ""
    let attempts: Json[] = []
    await until(async () => {
      attempts = (await opened(`${delivery}/bodies`)).attempts
      return attempts.length > 0
    })
    await receiver.close()
    const row = "webhook, attempt 1 failed (500)"
    await until(async () => (await page("/inspect?kind=webhook-delivery")).includes(row))
    expect(attempts[0]).toMatchObject({
      attempt: 1,
      status: 500,
      answered: { error: "door_jammed", message: "•••" },
      sent: { event_type: "reservation.status_changed", data: { reservation: { reservation_id: id } } },
    })
    for (const personal of ["Adelheid", "+15125550100", "ORDER-ON-CALL"])
      expect(JSON.stringify(attempts)).not.toContain(personal)
    let asked: Json = {}
    await until(async () => {
      asked = await opened(`${delivery}/asked?revision=2`)
      return asked.request !== null
    })
    expect(asked.causes.at(-1)).toMatchObject({
      group: `reservation/${id}`,
      by: "command",
      event: "cancel.requested",
    })
    expect(asked.requester).toMatchObject({ type: "key", id: asked.request.key.key_id })
    expect(asked.request).toMatchObject({
      key: { last_four: api_key.slice(-4) },
      method: "DELETE",
      route: "/rs/v1/reservations/:id",
      status: 200,
      sent_id: "caller-7",
    })

    // A partner names the id of a request: the one that it has sent, or the service's.
    for (const requestId of ["caller-7", asked.requester.request as string]) {
      const listed = await page(`/inspect?event=${requestId}&settled=1`)
      expect(listed, requestId).toContain(`/inspect/groups/reservation/${id}"`)
    }
    expect(await page("/inspect?event=caller-8&settled=1")).toContain("No group is like that")

    // The reservation and its webhook lead to each other.
    const addressesOf = async (path: string): Promise<readonly string[]> =>
      (await opened(`${path}/related`)).groups.map(({ group }: { readonly group: string }) => group)
    expect(await addressesOf(`/inspect/groups/reservation/${id}`)).toContain(
      delivery.replace("/inspect/groups/", ""),
    )
    expect(await addressesOf(delivery)).toContain(`reservation/${id}`)

    const record = await page(`/inspect/groups/reservation/${id}/record`)
    expect(record).toContain(`"who":{"request":"${asked.requester.request}","type":"key"`)
    expect(record).not.toContain("caller-7")
    expect(replayRecord(record, program)).toMatchObject({ difference: null, entries: 2 })
    const because = "The partner canceled."
    const kept = await opened(
      `/inspect/groups/reservation/${id}/scenario?${new URLSearchParams({ because }).toString()}`,
    )
    expect(kept.text).toContain("do: reservation.cancel, for: order")
    const { scenarios, problems } = readSource({ file: "kept.yaml", text: kept.text }, null)
    expect(problems).toEqual([])
    expect(scenarios.map((one) => runScenario(one).failures)).toEqual([[]])
    for (const personal of ["Adelheid", "+15125550100", "ORDER-ON-CALL", "127.0.0.1:9/open"])
      expect(record + kept.text).not.toContain(personal)
  })
})
