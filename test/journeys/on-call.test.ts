/** An engineer on call at the inspector of the running service: what is open, a group by a part of its id, its record. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { onBothDatabases, inMinutes } from "./served.ts"
import { program } from "../../src/composition/program.ts"
import { replayRecord } from "../../src/simulation/replay.ts"

onBothDatabases("an engineer on call", { hasDemo: true }, ({ process, ask }) => {
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

    const list = await page("/inspect")
    expect(list).toMatch(/<a href="\/inspect\?kind=reservation">reservation<\/a> 1 open/)
    expect(list).toMatch(/\d+ s ago|\d+ min ago/)
    expect(await page(`/inspect?id=${id.slice(-6)}`)).toContain(`/inspect/groups/reservation/${id}`)
    const other = await page("/inspect?id=no-such-id")
    expect(other).not.toContain(id)
    expect(other).toContain("No group is like that")

    // The order number and the organization are in rows, never in the journal.
    const ofOrder = await page("/inspect?order=order-on-call&settled=1")
    expect(ofOrder).toContain(`/inspect/groups/reservation/${id}`)
    expect(ofOrder).toMatch(/Order ORDER-ON-CALL · \S/)
    expect(await page("/inspect?order=ORDER-ON&settled=1")).toContain("No group is like that")
    expect(await page("/inspect?organization=no-such-organization")).toContain("No group is like that")

    const record = await page(`/inspect/groups/reservation/${id}/record`)
    expect(replayRecord(record, program)).toMatchObject({ difference: null, entries: 1 })
    for (const personal of ["Adelheid", "+15125550100", "ORDER-ON-CALL", "127.0.0.1:9/open"])
      expect(record).not.toContain(personal)
  })
})
