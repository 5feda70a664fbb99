/** The live stream of a site over the embedded database: whose groups it announces, rights, resuming and limits. */

import type { Readable } from "node:stream"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { makeApi } from "./api.ts"
import type { Api } from "./api.ts"
import { eventually } from "../eventually.ts"

/** The site of `zone_curb`, and one that nothing is booked at. */
const [EAST, WEST] = ["7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21", "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"]

interface Opened {
  readonly status: number
  readonly text: () => string
  readonly isOver: () => boolean
}

/** The groups that a stream has named, with their revisions. */
function groupsIn({ text }: Opened): readonly string[] {
  return [...text().matchAll(/"group":"([^"]*)","revision":(\d+)/gu)].map(([, group, at]) => `${group} ${at}`)
}

function lastIdIn({ text }: Opened): string {
  return [...text().matchAll(/^id: ([\w-]+)$/gmu)].at(-1)?.[1] ?? ""
}

async function open(
  api: Api,
  siteId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Opened> {
  const authorization = `Bearer ${api.operatorToken}`
  const url = `/internal/v1/sites/${siteId}/stream`
  const answer = await api.app.inject({ url, headers: { authorization, ...headers }, payloadAsStream: true })
  const stream: Readable = answer.stream()
  let [text, isOver] = ["", false]
  stream.on("data", (chunk) => (text += String(chunk)))
  stream.on("end", () => (isOver = true))
  if (answer.statusCode === 200) await eventually(() => expect(text).toContain("event: open"))
  return { status: answer.statusCode, text: () => text, isOver: () => isOver }
}

test("announces the groups of its own site and fleet, and brings one that resumes what it missed", async () => {
  const api = await makeApi()
  const fleet = await api.operate("PATCH", `/sites/${EAST}`, { body: { fleet_id: "fleet_east" } })
  expect(fleet.status).toBe(200)
  const [stream, elsewhere] = [await open(api, EAST), await open(api, WEST)]
  const id = await api.book()
  await eventually(() => expect(groupsIn(stream)).toContain(`reservation/${id} 1`))
  const vehicle = { environment: "production", isSynthetic: false, isOnline: true, label: "CB-01" } as const
  await api.run(
    Effect.flatMap(Vehicles, (vehicles) =>
      vehicles.register({ ...vehicle, vehicleId: "veh_east", fleetId: "fleet_east" }),
    ),
  )
  await eventually(() => expect(groupsIn(stream)).toContain("vehicle/veh_east 1"))
  expect(groupsIn(elsewhere)).toEqual([])
  const lastId = lastIdIn(stream)
  await api.call("DELETE", `/rs/v1/reservations/${id}`, {})
  const resumed = await open(api, EAST, { "last-event-id": lastId })
  const missed = groupsIn(resumed).find((group) => group.startsWith(`reservation/${id} `))
  expect(Number(missed?.split(" ")[1])).toBeGreaterThan(1)
  expect(resumed.text()).not.toContain("event: reset")
  expect((await open(api, EAST, { "last-event-id": "999999999" })).text()).toContain("event: reset")
})

test("NOT_FOUND for an unknown site, INVALID_OPERATOR_TOKEN for a partner's key, RATE_LIMITED for the eleventh", async () => {
  const api = await makeApi()
  expect((await open(api, "no-such-site")).status).toBe(404)
  expect((await open(api, EAST, { authorization: `Bearer ${api.key}` })).status).toBe(401)
  for (let count = 0; count < 10; count += 1) expect((await open(api, EAST)).status).toBe(200)
  expect((await open(api, WEST)).status).toBe(429)
  const made = await api.operate("POST", "/operator-tokens", { body: { label: "second" } })
  const { value, operator_token: token } = made.data as {
    readonly value: string
    readonly operator_token: { readonly token_id: string }
  }
  const own = await open(api, EAST, { authorization: `Bearer ${value}` })
  expect(own.status).toBe(200)
  expect((await api.operate("DELETE", `/operator-tokens/${token.token_id}`)).status).toBe(200)
  await eventually(() => expect(own.isOver()).toBe(true))
  expect((await open(api, EAST, { authorization: `Bearer ${value}` })).status).toBe(401)
})
