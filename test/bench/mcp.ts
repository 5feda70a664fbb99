/**
 * The courier connector's benchmark: `get_delivery_status` over the whole stack against the official SDK alone with a tool that does
 * nothing, with a handshake and in revision 2026-07-28, the endpoint's routes with that tool against the same, and against a read of /rs/v1; and that read beside the connector against the
 * same without it. In turn, in one process of the service, on a PostgreSQL of its own. `npm run bench -- mcp`; `--quick` for a fifth,
 * `--pglite` for the embedded database instead. Wanted: 0.5 of the SDK alone at least, and no slower reads. Absolute numbers belong to
 * the machine, which also makes the load; the ratios are the claim.
 */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { Agent, request } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { startServer } from "../engine/store/postgres-server.ts"
import type { McpServerMessage } from "./mcp-server.ts"
import { printMachine } from "./machine-line.ts"

const ROUNDS = 5
const CONCURRENCY = 16
const COUNT = process.argv.includes("--quick") ? 200 : 1_000

interface Asked {
  readonly url: string
  readonly bearer: string
  readonly body: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** What the answer must hold. */
  readonly wanted: string
}

const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

const script = fileURLToPath(new URL("mcp-server.ts", import.meta.url))
const postgres = process.argv.includes("--pglite") ? null : await startServer()
const child = spawn(process.execPath, postgres === null ? [script] : [script, postgres.url], {
  stdio: ["pipe", "pipe", "inherit"],
})
try {
  const told = await new Promise<McpServerMessage>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
    createInterface({ input: child.stdout }).once("line", (line) =>
      resolve(JSON.parse(line) as McpServerMessage),
    )
  })
  await race(told)
} finally {
  const ended = once(child, "exit")
  child.stdin.end()
  await ended
  await postgres?.stop()
}

function contestantsOf({ mcpUrl, token, deliveryId, readUrls, key, bareUrl, emptyUrl }: McpServerMessage) {
  const call = (name: string, args: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  const stateless = (name: string, args: object): Pick<Asked, "body" | "headers"> => ({
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta: STATELESS_META },
    }),
  })
  const read = { bearer: key, body: null, wanted: '"retailer_grocer"' }
  return {
    get_delivery_status: {
      url: mcpUrl,
      bearer: token,
      body: call("get_delivery_status", { delivery_id: deliveryId }),
      wanted: `"delivery_id":"${deliveryId}"`,
    },
    "the SDK's bare transport, an empty tool": {
      url: bareUrl,
      bearer: token,
      body: call("empty", {}),
      wanted: '"result"',
    },
    "get_delivery_status, 2026-07-28": {
      url: mcpUrl,
      bearer: token,
      ...stateless("get_delivery_status", { delivery_id: deliveryId }),
      wanted: `"delivery_id":"${deliveryId}"`,
    },
    "the SDK's bare handler of 2026-07-28": {
      url: bareUrl,
      bearer: token,
      ...stateless("empty", {}),
      wanted: '"result"',
    },
    "the endpoint's routes, an empty tool": {
      url: emptyUrl,
      bearer: token,
      body: call("empty", {}),
      wanted: '"result"',
    },
    "the endpoint's routes, an empty tool, 2026-07-28": {
      url: emptyUrl,
      bearer: token,
      ...stateless("empty", {}),
      wanted: '"result"',
    },
    "GET /rs/v1/retailers beside the connector": { ...read, url: readUrls.beside },
    "GET /rs/v1/retailers without a connector": { ...read, url: readUrls.without },
  } satisfies Record<string, Asked>
}

async function race(told: McpServerMessage): Promise<void> {
  printMachine()
  console.log(`${CONCURRENCY} requests at once, ${COUNT} a round; medians of ${ROUNDS} rounds\n`)
  const contestants = Object.entries(contestantsOf(told))
  const found = new Map<string, number[]>(contestants.map(([name]) => [name, []]))
  for (const [, asked] of contestants) await play(asked, COUNT / 2)
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed()
    for (const [name, asked] of order) found.get(name)?.push(await play(asked, COUNT))
  }
  const medians = [...found].map(([name, rates]) => [name, medianOf(rates)] as const)
  for (const [name, rate] of medians) console.log(`${rate.toFixed(0).padStart(6)}/s  ${name}`)
  const [
    status = 0,
    bare = 1,
    stateless = 0,
    handler = 1,
    empty = 0,
    emptyStateless = 0,
    beside = 0,
    without = 1,
  ] = medians.map(([, rate]) => rate)
  console.log(`\n${(status / bare).toFixed(2)} of the bare transport (wanted: 0.50 at least)`)
  console.log(`${(stateless / handler).toFixed(2)} of the bare handler of 2026-07-28 (wanted: 0.50 at least)`)
  console.log(
    `${(empty / bare).toFixed(2)} of the bare transport by the endpoint's routes (wanted: 0.90 at least)`,
  )
  console.log(
    `${(emptyStateless / handler).toFixed(2)} of the bare handler by the endpoint's routes (wanted: 0.90 at least)`,
  )
  console.log(`${(status / beside).toFixed(2)} of a read of /rs/v1`)
  console.log(
    `${(beside / without).toFixed(2)} of itself: that read beside the connector, against without one`,
  )
}

function medianOf(rates: readonly number[]): number {
  return rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)] ?? 0
}

async function play(asked: Asked, count: number): Promise<number> {
  // New connections: a server closes connections that were idle during other measurements.
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  let left = count
  const startedMs = performance.now()
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await ask(asked, agent)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  const perSecond = (count / (performance.now() - startedMs)) * 1_000
  agent.destroy()
  return perSecond
}

function ask({ url, bearer, body, headers: more, wanted }: Asked, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      accept: "application/json, text/event-stream",
      ...more,
      ...(body === null
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    }
    const outgoing = request(url, { agent, method: body === null ? "GET" : "POST", headers }, (response) => {
      let answer = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
      response.on("end", () => {
        if (response.statusCode === 200 && answer.includes(wanted)) resolve()
        else reject(new Error(`${url} answered ${response.statusCode}: ${answer.slice(0, 300)}`))
      })
    })
    outgoing.on("error", reject)
    outgoing.end(body ?? undefined)
  })
}
