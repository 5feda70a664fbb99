/** `curbline certify` over HTTP, and what it says before it calls a receiver. Its sequences are in `test/simulation/runs/certify.test.ts`. */

import { afterEach, describe, expect, test } from "vitest"
import type { WebhookArea } from "../../src/model/webhook.ts"
import { startReceiver } from "../serve/service-process.ts"
import { PartnerReceiver, SECRETS } from "../simulation/runs/partner-receiver.ts"
import type { Planted } from "../simulation/runs/partner-receiver.ts"
import { curblineHereWith } from "./same-process.ts"

type Started = Awaited<ReturnType<typeof startReceiver>>

const started: Started[] = []
afterEach(async () => {
  for (const receiver of started.splice(0)) await receiver.close()
})

/** The receiver of the sequences behind HTTP: events at /hook, the open link at /open, its state at /state. */
async function partner(api: WebhookArea, planted: Planted | null = null): Promise<Started> {
  const right = new PartnerReceiver(api, planted, () => Date.now())
  const receiver = await startReceiver(async ({ path, headers, body }) => {
    if (path === "/state") return { status: 200, body: JSON.stringify(await right.readState()) }
    const answer = await right.send({
      to: path === "/open" ? "open link" : "hook",
      headers: withNames(headers),
      body,
      timeoutMs: 0,
      manner: "usual",
      signing: null,
      event: null,
    })
    return { status: answer.type === "answered" ? answer.status : 500 }
  })
  started.push(receiver)
  return receiver
}

/** Node writes names in small letters. */
function withNames(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const names = ["X-Service-Signature", "X-Service-Delivery-Id", "X-Service-Attempt-Id"]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name.toLowerCase()]
      return typeof value === "string" ? [[name, value]] : []
    }),
  )
}

const WITH_SECRETS = {
  CURBLINE_WEBHOOK_SECRET: SECRETS.secret,
  CURBLINE_NEW_WEBHOOK_SECRET: SECRETS.newSecret,
  CURBLINE_OPEN_LINK_SECRET: SECRETS.openLinkSecret,
}

test("a right receiver passes, with its state and its open link", async () => {
  const { url, received } = await partner("reservations")
  const places = ["--url", `${url}/hook`, "--open-link", `${url}/open`, "--state", `${url}/state`]
  const { status, out } = await curblineHereWith(WITH_SECRETS, "certify", ...places, "--seeds", "5")
  expect({ status, out }).toEqual({
    status: 0,
    out: expect.stringMatching(/^passed: 1 seed, \d+ steps, \d+ requests\n$/),
  })
  expect(out).toContain(`${received.length} requests`)
  expect(new Set(received.map(({ path }) => path))).toEqual(new Set(["/hook", "/open", "/state"]))
})

test("a right receiver of direct delivery passes without its state", async () => {
  const { url } = await partner("direct_delivery")
  const words = ["--url", url, "--api", "direct_delivery", "--seeds", "3"]
  const { status, out, err } = await curblineHereWith(WITH_SECRETS, "certify", ...words)
  expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/^passed: /) })
  expect(err).toContain("without --state")
})

test("a receiver that takes everything fails, with the request that shows it and without the secret", async () => {
  const receiver = await startReceiver()
  started.push(receiver)
  const { status, out, err } = await curblineHereWith(WITH_SECRETS, "certify", "--url", receiver.url)
  expect(status).toBe(1)
  expect(out).toMatch(/\n {2}1\. \w+: the |\n {2}1\. \w+: an event/)
  expect(out).not.toContain("\n  2. ")
  expect(out).toContain(`curl -sS -o /dev/null -w '%{http_code}\\n' ${receiver.url}`)
  for (const secret of Object.values(SECRETS)) expect(out + err).not.toContain(secret)
})

test("an old event that overwrites a newer one is shown by at most two steps, as JSON", async () => {
  const { url } = await partner("reservations", "lets an old event overwrite")
  const words = ["--url", `${url}/hook`, "--state", `${url}/state`, "--json"]
  const { status, out } = await curblineHereWith(WITH_SECRETS, "certify", ...words)
  expect(status).toBe(1)
  const { verdict, finding } = JSON.parse(out)
  expect(verdict).toBe("failed")
  expect(finding).toMatchObject({ found: expect.stringMatching(/^the state says /), is_shortest: true })
  expect(finding.steps.length).toBeLessThanOrEqual(2)
  // A step of a retry has two.
  expect(finding.curl.length).toBeGreaterThanOrEqual(2)
})

test("a state that cannot be read ends the certification with its reason", async () => {
  const { url } = await partner("reservations")
  const nothing = await curblineHereWith(WITH_SECRETS, "certify", "--url", url, "--state", `${url}/hook`)
  expect(nothing).toMatchObject({
    status: 1,
    err: expect.stringContaining("error: the state was answered with 401"),
  })
})

describe("a mistake in the command line ends with 2 and names it:", () => {
  const HOOK = ["--url", "http://127.0.0.1:9/hook"]
  test.each<[string, readonly string[], string]>([
    ["no receiver", [], "--url"],
    ["a URL that is none", ["--url", "partner/hook"], "--url partner/hook is no URL"],
    ["http to another machine", ["--url", "http://partner.example/hook"], "must begin with https"],
    ["an address", ["--url", "https://10.0.0.7/hook"], "must have a host name"],
    ["an open link by http", [...HOOK, "--open-link", "http://partner.example/open"], "--open-link http"],
    ["a state by http", [...HOOK, "--state", "http://partner.example/state"], "--state http"],
    ["a secret of another form", [...HOOK, "--secret", "secret"], "must be whsec_"],
    ["no request", [...HOOK, "--requests", "0"], "--requests takes a whole number from 1 to"],
    ["seeds that are none", [...HOOK, "--seeds", "some"], "--seeds takes a number or a range"],
    ["another API", [...HOOK, "--api", "errands"], "Allowed choices are reservations, direct_delivery"],
    [
      "an open link of direct delivery",
      [...HOOK, "--api", "direct_delivery", "--open-link", HOOK[1] ?? ""],
      "direct delivery opens no bots",
    ],
  ])("%s", async (_, words, said) => {
    const { status, err } = await curblineHereWith(WITH_SECRETS, "certify", ...words)
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(said) })
  })

  test("no secret", async () => {
    const { status, err } = await curblineHereWith({ CURBLINE_WEBHOOK_SECRET: "" }, "certify", ...HOOK)
    expect({ status, err }).toEqual({
      status: 2,
      err: expect.stringContaining("set CURBLINE_WEBHOOK_SECRET"),
    })
  })
})
