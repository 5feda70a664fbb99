/** Fleet models with tables of orders beside them. */

import { expect } from "vitest"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import type { OrderLog } from "../../../../src/simulation/fleet/language/order-log.ts"
import { readFleet } from "../../../../src/simulation/fleet/language/read.ts"
import type { FleetReading } from "../../../../src/simulation/fleet/language/read.ts"
import { tableReader } from "../../../../src/simulation/fleet/tables/table-reader.ts"

type Files = Readonly<Record<string, string | Uint8Array>>

async function readingWith(text: string, files: Files): Promise<FleetReading> {
  const bytesOf = (name: string): Uint8Array | null => {
    const found = files[name]
    return typeof found === "string" ? new TextEncoder().encode(found) : (found ?? null)
  }
  const logs = await tableReader(Object.keys(files), bytesOf)
  const beside = (name: string): string | null => {
    const found = files[name]
    return typeof found === "string" ? found : null
  }
  return readFleet({ file: "test.yaml", text, beside, logs })
}

export async function modelWith(text: string, files: Files): Promise<FleetModel> {
  const { model, problems } = await readingWith(text, files)
  expect(problems).toEqual([])
  if (model === null) throw new Error("a model without problems is read")
  return model
}

export async function logWith(text: string, files: Files): Promise<OrderLog> {
  const { logs } = await modelWith(text, files)
  const [log] = logs
  if (log === undefined) throw new Error("the model has a log")
  return log
}

/** Messages with the keys of the model at which they are. */
export async function problemsWith(text: string, files: Files): Promise<readonly string[]> {
  const { problems } = await readingWith(text, files)
  return problems.map(({ message }) => message)
}

/** A model of deliveries from one site, whose demand replays a table. `zone` is its clock's. */
export function deliveries(
  replay: string,
  {
    clock = "2026-03-02T10:00 UTC",
    horizon = "8h",
  }: { readonly clock?: string; readonly horizon?: string } = {},
): string {
  return `
fleet: A log
because: Its rows are known.
clock: ${clock}
horizon: ${horizon}
sites:
  - as: curb
    at: [30.4, -97.7]
    vehicles: 40
    stores: [{ as: north }, { as: south }]
demand:
  - product: delivery
    site: curb
    replay: ${replay}
`
}
