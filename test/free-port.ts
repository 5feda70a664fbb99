/** Ports for the servers and services of tests. */

import { createServer } from "node:net"

const FIRST_PORT = 10_000
const PORTS_EACH = 4_000
const PROCESSES = 5
const place = Number(process.env["VITEST_POOL_ID"] ?? 0) % PROCESSES
let chosen = process.pid % PORTS_EACH

/**
 * Each process of tests has ports of its own, below those that systems give to outgoing connections: a service listens seconds after
 * its port was chosen. Never the same twice.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_EACH; tries += 1) {
    chosen = (chosen + 1) % PORTS_EACH
    const port = FIRST_PORT + place * PORTS_EACH + chosen
    if (await isFree(port)) return port
  }
  throw new Error(`no port is free from ${FIRST_PORT} on`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}
