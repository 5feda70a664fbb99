/**
 * A proxy in front of a PostgreSQL server that cuts connections at a chosen place: at once, after the first row of an answer, or
 * in the middle of a row. It reads what the server sends message by message. Source: PostgreSQL protocol 3.0, message formats.
 */

import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

export type Cut = "at once" | "behind a row" | "inside a row" | "inside the row description"

export type ServerState = "well" | "hangs" | "refuses"

export interface CuttingProxy {
  readonly url: string
  /** Cuts this many of the next connections that reach that point. */
  readonly arm: (cut: Cut, count: number) => void
  /** Cuts no more. */
  readonly disarm: () => void
  /** How many connections have been cut at that place. */
  readonly cutsAt: (cut: Cut) => number
  /** `hangs`: accepts connections and passes nothing on. `refuses`: cuts what there is and what comes. */
  readonly become: (state: ServerState) => void
  /** Where further connections lead; those that there are stay. */
  readonly lead: (serverUrl: string) => void
  readonly close: () => Promise<void>
}

export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  let target = new URL(serverUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  const cuts = new Map<Cut, number>()
  let armed: Cut | null = null
  let left = 0
  let state: ServerState = "well"

  const cut = (pair: readonly [Socket, Socket], at: Cut): void => {
    cuts.set(at, (cuts.get(at) ?? 0) + 1)
    if (left > 0) left -= 1
    // What was written before it still arrives: an end, not a reset.
    pair[0].end()
    pair[1].destroy()
    pairs.delete(pair)
  }

  const server = createServer((client) => {
    if (state === "refuses") return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    let unread = Buffer.alloc(0)
    client.on("data", (data) => upstream.write(data))
    upstream.on("data", (data: Buffer) => {
      unread = Buffer.concat([unread, data])
      while (pairs.has(pair)) {
        const end = unread.length < 5 ? Infinity : unread.readUInt32BE(1) + 1
        if (unread.length < end) return
        const message = unread.subarray(0, end)
        unread = unread.subarray(end)
        const isArmed = left > 0
        const isRow = message[0] === ROW
        if (isArmed && armed === "inside a row" && isRow) {
          client.write(message.subarray(0, message.length - 1))
          cut(pair, armed)
        } else if (isArmed && armed === "inside the row description" && message[0] === DESCRIPTION) {
          client.write(message.subarray(0, 6))
          cut(pair, armed)
        } else {
          client.write(message)
          if (isArmed && armed === "behind a row" && isRow) cut(pair, armed)
        }
      }
    })
    if (state === "hangs") for (const one of pair) one.pause()
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy())
      one.on("close", () => {
        pairs.delete(pair)
        other.end()
      })
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    arm: (place, count) => {
      if (place === "at once") {
        for (const pair of [...pairs].slice(0, count)) cut(pair, place)
      } else {
        armed = place
        left = count
      }
    },
    disarm: () => {
      left = 0
    },
    cutsAt: (place) => cuts.get(place) ?? 0,
    become: (wanted) => {
      state = wanted
      for (const one of [...pairs].flat()) {
        if (wanted === "hangs") one.pause()
        else if (wanted === "well") one.resume()
        else one.destroy()
      }
    },
    lead: (wanted) => {
      target = new URL(wanted)
    },
    close: async () => {
      for (const one of [...pairs].flat()) one.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

const ROW = "D".charCodeAt(0)
const DESCRIPTION = "T".charCodeAt(0)
