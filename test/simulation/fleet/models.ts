/** Fleet models for tests, written as files would be. */

import { expect } from "vitest"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"

export const CLOCK = "2026-03-02T10:00 America/Chicago"

export function fleetModel(text: string, beside: Readonly<Record<string, string>> = {}): FleetModel {
  const { model, problems } = readFleet({ file: "test.yaml", text, beside: (name) => beside[name] ?? null })
  expect(problems).toEqual([])
  if (model === null) throw new Error("a model without problems is read")
  return model
}

/**
 * A queue before the runners of one site and nothing else: bots are there at once, orders are ready, and the one time that a
 * runner needs is drawn at the counter. The open link's answer takes 50 ms more.
 */
export function queue({
  runners,
  perHour,
  comes = `per_hour: ${perHour}`,
  service,
  patience = "1d",
  patienceUntil = "load",
}: {
  runners: number
  perHour?: number
  comes?: string
  service: string
  patience?: string
  patienceUntil?: "load" | "runner"
}): FleetModel {
  return fleetModel(`
fleet: A queue
because: Its waits are known.
clock: ${CLOCK}
horizon: 9h
warm_up: 1h
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 25, runners: ${runners}, stores: [{ as: store, starts_before: 1d }] }
runner: { walk: 0s, load: 0s, pick_up: ${service} }
bot: { punctuality: -1d, patience: ${patience}, patience_until: ${patienceUntil}, settle: 0s, leave: 0s }
policy: { send_ahead: 1d, dispatch: first_booked }
demand:
  - { product: reservation, site: curb, ${comes}, ahead: 3h, width: 120m }
`)
}
