/** `curbline agent` with a language model: a stand-in on the loopback, its transcript, and the transcript without it. */

import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { fileWith, folder } from "./command-line.ts"
import { curblineHere, curblineHereWith } from "./same-process.ts"

const KEY = "sk-secret-1234"
const ERRAND = "the user does not accept the terms"
const TRANSCRIPT = join(import.meta.dirname, "model-said.ndjson")

interface Asked {
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly tools: readonly { readonly function: { readonly name: string } }[]
  }
}

let server: Server
let url: string
let status = 200
const asked: Asked[] = []

/** A model that checks, asks the user and cancels. It repeats the key that it was sent, as no model should. */
function saidTo({ body: { messages } }: Asked): object {
  const replies = messages.filter(({ role }) => role === "tool").map(({ content }) => content)
  const call = (name: string, args: object): object => ({
    content: `The key is ${KEY}.`,
    tool_calls: [{ id: `call_${replies.length}`, function: { name, arguments: JSON.stringify(args) } }],
  })
  const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
  switch (replies.length) {
    case 0:
      return call("check_delivery", {
        retailer_name: "Lunchbox Kitchen",
        store_address: address,
        dropoff_address: { ...address, street: "1 River Road", location: { lat: 30.41, lng: -97.72 } },
        requested_timing: { type: "asap" },
        pickup_methods_offered: ["curbside"],
        idempotency_key: "model-0001",
      })
    case 1:
      return call("ask_user", { about: "consent", question: "4.95 USD, terms and text messages: fine?" })
    case 2: {
      const { delivery_id } = JSON.parse(replies[0] ?? "{}") as { readonly delivery_id: string }
      return call("cancel_delivery", { delivery_id, idempotency_key: "model-0002" })
    }
    default:
      return { content: "It is cancelled." }
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const { authorization } = request.headers
      const one = { authorization, body: JSON.parse(Buffer.concat(parts).toString()) as Asked["body"] }
      asked.push(one)
      response.statusCode = request.url === "/v1/chat/completions" ? status : 404
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ choices: [{ message: saidTo(one) }] }))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
beforeEach(() => {
  asked.length = 0
  status = 200
})
afterAll(() => server.close())

describe("curbline agent with a model", () => {
  test("runs an errand with it, with the key of the environment, and writes what it said without the key", async () => {
    const file = join(folder(), "said.ndjson")
    const words = ["agent", "--grep", "no texts", "--model", "stand-in", "--url", url, "--record", file]
    const ended = await curblineHereWith({ CURBLINE_MODEL_KEY: KEY }, ...words)
    expect(ended).toMatchObject({ status: 0, err: "" })
    expect(ended.out).toMatch(/^the user does not accept the terms +yes +2 /m)
    expect(asked).toHaveLength(4)
    const body = asked[0]?.body
    expect(asked[0]?.authorization).toBe(`Bearer ${KEY}`)
    expect(body?.model).toBe("stand-in")
    expect(body?.tools.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(["check_delivery", "cancel_delivery", "ask_user", "place_store_order"]),
    )
    expect(body?.messages[0]?.content).toContain("## Call order")
    expect(body?.messages[1]?.content).toContain("What does soup from Lunchbox Kitchen cost?")
    const text = readFileSync(file, "utf8")
    expect(text).not.toContain(KEY)
    expect(text).toBe(readFileSync(TRANSCRIPT, "utf8"))
  })

  test("a transcript repeats the errand without the endpoint, and runs only what is in it", async () => {
    const { status: exit, out } = await curblineHere("agent", "--replay", TRANSCRIPT)
    expect(exit).toBe(0)
    expect(out).toMatch(new RegExp(`^${ERRAND} +yes +2 `, "m"))
    expect(out).toContain("1 of 1 right, no dead end, 2 calls")
    expect(asked).toEqual([])
  })

  test("a transcript that ends too early, or has another line, is an error that names it", async () => {
    const [first = ""] = readFileSync(TRANSCRIPT, "utf8").split("\n")
    const short = fileWith("short.ndjson", `${first}\n`)
    expect(await curblineHere("agent", "--replay", short)).toMatchObject({
      status: 1,
      err: `error: ${short} ends before the errand "${ERRAND}" does\n`,
    })
    const bad = fileWith("bad.ndjson", `${first}\n{"errand":1}\n`)
    expect(await curblineHere("agent", "--replay", bad)).toMatchObject({
      status: 2,
      err: `error: ${bad}:2: a line of a transcript is a JSON object with errand and said\n`,
    })
  })

  test("an endpoint that refuses or does not answer ends with one line", async () => {
    status = 401
    const words = ["agent", "--grep", "no texts", "--model", "stand-in", "--url"]
    expect(await curblineHere(...words, url)).toMatchObject({
      status: 1,
      err: `error: ${url}/chat/completions answers 401\n`,
    })
    const gone = await curblineHere(...words, "http://127.0.0.1:9/v1")
    expect(gone.status).toBe(1)
    expect(gone.err).toMatch(/^error: http:\/\/127\.0\.0\.1:9\/v1\/chat\/completions does not answer: .+\n$/)
  })

  test("a model without a URL is a mistake of the command line", async () => {
    const { status: exit, err } = await curblineHere("agent", "--model", "stand-in")
    expect([exit, err]).toEqual([
      2,
      "error: a model needs both --model and --url, such as --url https://api.openai.com/v1\n",
    ])
  })
})
