/**
 * One contestant of the API's race in a process of its own: `ours`, or the hand-written handler. Tells where it listens in
 * one line of JSON, then at every line of its standard input the microseconds of CPU that it has used, and lives until that
 * ends.
 */

import { createInterface } from "node:readline"
import { CALL_THREAD_CONNECTIONS } from "../../src/live/configuration/bounds.ts"
import { layerPostgres } from "../../src/engine/store/database.ts"
import { startRealService, threadOver } from "../attacks/real-service.ts"
import { startPlain } from "./api-plain.ts"
import type { ServerOrder, ServerMessage } from "./api-plain.ts"

const order = JSON.parse(process.argv[2] ?? "{}") as ServerOrder
const server = order.contestant === "ours" ? await ours(order) : await startPlain(order)
console.log(JSON.stringify(server.told))
createInterface({ input: process.stdin })
  .on("line", () => {
    const { user, system } = process.cpuUsage()
    console.log(String(user + system))
  })
  .once("close", () => {
    void server.close().then(() => process.exit(0))
  })

async function ours({ databaseUrl, hookUrl, zones }: ServerOrder) {
  const service = await startRealService({
    database: layerPostgres(databaseUrl, { connectionsMax: 20 - CALL_THREAD_CONNECTIONS }),
    thread: threadOver(databaseUrl),
    allowsLoopback: true,
    zones,
  })
  service.names.set("localhost", { type: "addresses", addresses: ["127.0.0.1"] })
  const body = { url: hookUrl, subscribed_events: ["reservation.status_changed"] }
  const { status } = await service.call("POST", "/rs/v1/webhooks", { body })
  if (status !== 201) throw new Error(`the webhook was answered ${status}`)
  const { port, key, organizationId } = service
  return { told: { port, key, organizationId } satisfies ServerMessage, close: service.close }
}
