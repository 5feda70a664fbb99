/** Visits at the curb, each by the calls of a partner and of operations, for tests that need a past. */

import { expect } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Api, ApiOptions } from "./api.ts"

/** One reservation from the booking to the departure, in about a quarter of an hour. Its runner is so much longer on the way to the robot. */
export async function visit(api: Api, number: number, lateMs = 0): Promise<string> {
  const now = api.now()
  const id = await api.book({
    order_number: `H-${number}`,
    arrival_window_start: iso(now + 10 * MINUTE_MS),
    arrival_window_end: iso(now + 40 * MINUTE_MS),
  })
  const step = async (path: string, body?: object): Promise<void> => {
    const answer = await api.operate(
      "POST",
      `/reservations/${id}/${path}`,
      body === undefined ? {} : { body },
    )
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body])
  }
  const report = async (status: string, more: object = {}): Promise<void> => {
    const body = { status, occurred_at: iso(api.now()), ...more }
    expect((await api.call("POST", `/rs/v1/reservations/${id}/bot`, { body })).status).toBe(200)
  }
  await step("runner", { runner_id: `runner_${number % 2}` })
  await api.advance((4 + (number % 3)) * MINUTE_MS)
  await step("at-store")
  await report("INBOUND", { eta: iso(api.now() + 5 * MINUTE_MS) })
  await api.advance((40 + number) * SECOND_MS)
  await step("order-in-hand")
  await api.advance(5 * MINUTE_MS)
  await report("ARRIVED")
  await api.advance(lateMs)
  await step("at-unit")
  await api.advance((30 + number) * SECOND_MS)
  await report("READY_FOR_HANDOFF")
  await api.advance((60 + 2 * number) * SECOND_MS)
  await step("load")
  await api.advance(MINUTE_MS)
  await report("DEPARTED")
  return id
}

export async function visits(api: Api, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await visit(api, number)
}

/** Over more than a day. */
export async function withHistory(options: ApiOptions = {}): Promise<Api> {
  const api = await makeApi(options)
  await visits(api, 19)
  await api.advance(20 * HOUR_MS)
  await visits(api, 1)
  return api
}
