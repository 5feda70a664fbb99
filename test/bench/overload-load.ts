/** The load of `overload.ts`, in a process of its own: one order as JSON in, what was answered as JSON out. */

import { Agent, request } from "node:http"

export interface LoadOrder {
  readonly url: string
  readonly key: string
  /** Sent in turn. */
  readonly bodies: readonly object[]
  /** Requests a second of an open loop; null for a closed one. */
  readonly perSecond: number | null
  /** Of a closed loop. */
  readonly workers: number
  readonly seconds: number
}

export interface LoadMessage {
  readonly sent: number
  /** How often each status was answered; `0` for a request without an answer. */
  readonly statuses: Readonly<Record<string, number>>
  readonly acceptedPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** As a patient client would. */
const CLIENT_MS_MAX = 10_000
const TICK_MS = 5

const order = JSON.parse(process.argv[2] ?? "{}") as LoadOrder
const payloads = order.bodies.map((body) => JSON.stringify(body))
const agent = new Agent({ keepAlive: true, maxSockets: order.perSecond === null ? order.workers : 2_000 })
const statuses: Record<string, number> = {}
const acceptedMs: number[] = []
let sent = 0
const beganMs = performance.now()
const endsMs = beganMs + order.seconds * 1_000

await (order.perSecond === null ? closedLoop() : openLoop(order.perSecond))
const sorted = acceptedMs.toSorted((a, b) => a - b)
const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
const told: LoadMessage = {
  sent,
  statuses,
  acceptedPerSecond: acceptedMs.length / order.seconds,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
}
agent.destroy()
process.stdout.write(JSON.stringify(told))

async function closedLoop(): Promise<void> {
  const worker = async (): Promise<void> => {
    while (performance.now() < endsMs) await ask()
  }
  await Promise.all(Array.from({ length: order.workers }, worker))
}

/** Requests are sent at their instants, whatever the results of earlier ones. */
async function openLoop(perSecond: number): Promise<void> {
  const open: Promise<void>[] = []
  for (;;) {
    const nowMs = performance.now()
    if (nowMs >= endsMs) break
    const due = Math.floor(((nowMs - beganMs) / 1_000) * perSecond)
    while (sent < due) open.push(ask())
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(open)
}

function ask(): Promise<void> {
  const payload = payloads[sent % payloads.length] ?? ""
  sent += 1
  const askedMs = performance.now()
  return new Promise((resolve) => {
    const end = (status: number): void => {
      statuses[status] = (statuses[status] ?? 0) + 1
      // What comes after the end is not counted: neither loop would be longer for it.
      if (status === 201 && performance.now() <= endsMs) acceptedMs.push(performance.now() - askedMs)
      resolve()
    }
    const outgoing = request(order.url, {
      method: "POST",
      agent,
      headers: {
        authorization: `Bearer ${order.key}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(payload),
      },
      signal: AbortSignal.timeout(CLIENT_MS_MAX),
    })
    outgoing.once("response", (response) => {
      response.resume()
      response.once("close", () => end(response.statusCode ?? 0))
    })
    outgoing.once("error", () => end(0))
    outgoing.end(payload)
  })
}
