/**
 * A served service whose connections to PostgreSQL are cut at random, many of them behind or inside a row, while every read route
 * is asked: each answer is the true one or a failure that can be tried again, and the process lives.
 */

import { setTimeout as after } from "node:timers/promises"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Streams } from "../../src/engine/kernel/random.ts"
import { startTwilio } from "../journeys/twilio-stand-in.ts"
import { startCuttingProxy } from "../engine/store/cutting-proxy.ts"
import type { Cut, CuttingProxy } from "../engine/store/cutting-proxy.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { readRoutes } from "./read-routes.ts"
import type { Read } from "./read-routes.ts"
import { dataFolder, startProcess } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"
import { eventually } from "../eventually.ts"

const SEED = 17
/** Fewer than the fifty rounds and twenty terminations of `npm run test:long`, which take two minutes. */
const COUNTS =
  process.env["CURBLINE_LONG_TESTS"] === "true"
    ? { rounds: 50, terminations: 20 }
    : { rounds: 10, terminations: 3 }
const CUTS: readonly Cut[] = ["at once", "behind a row", "inside a row", "inside the row description"]

const twilio = await startTwilio()
let server: PostgresDatabase
let proxy: CuttingProxy
let service: ServiceProcess
let reads: readonly Read[]
/** Made after their first request, so that the answers change by themselves. */
let madeLater: readonly Read[]
let truth: readonly string[]

beforeAll(async () => {
  server = await startPostgres()
  proxy = await startCuttingProxy(server.url)
  service = await startProcess(dataFolder(), undefined, {
    words: ["--demo"],
    env: {
      ...twilio.env,
      DATABASE_URL: proxy.url,
      CURBLINE_SECRET: "s".repeat(32),
      CURBLINE_FLEET_SPEED: "off",
      CURBLINE_REQUESTS_PER_MINUTE: "100000",
      CURBLINE_ANALYTICS_PER_MINUTE: "100000",
    },
  })
  const all = await readRoutes(service, twilio.codeOf)
  madeLater = all.filter(({ name }) => /\/(forecast|today)$/.test(name))
  reads = all.filter((read) => !madeLater.includes(read))
  truth = await askedInTurn()
})
afterAll(async () => {
  twilio.close()
  await service.stop()
  await proxy.close()
  await server.stop()
})

/** Status and body without what differs from one answer to the next. */
async function asked({ name, send }: Read): Promise<string> {
  const answer = await send()
  const body = (await answer.text())
    .replaceAll(/"request_id":"[^"]*"/g, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "an instant")
    // The data of a card has the service's clock at the answer.
    .replaceAll(/"nowMs":\d+/g, "an instant")
  return `${name} ${answer.status} ${name.endsWith("/occupancy-trends") ? withoutRepeats(body) : body}`
}

/** A report by hours has one more of them after each hour. */
function withoutRepeats(body: string): string {
  return body.replaceAll(/(\{[^{}]*\},)\1+/g, "$1")
}

/** Names the request that gets no answer. */
async function answered({ name, send }: Read): Promise<Response> {
  const answer = await Promise.race([send(), after(30_000, null, { ref: false })])
  if (answer === null) throw new Error(`${name}: no answer within 30 s`)
  return answer
}

/** One request at a time: a slow machine may refuse some of many at once. */
async function askedInTurn(): Promise<readonly string[]> {
  const answers: string[] = []
  for (const read of reads) answers.push(await asked(read))
  return answers
}

/** Answers that are neither right nor a proper failure. */
async function lies(): Promise<{ readonly lies: readonly string[]; readonly truths: number }> {
  const answers = await Promise.all(reads.map(asked))
  const isTrue = answers.map((answer, at) => answer === truth[at])
  // A tool has a limit a minute, which may be reached here.
  const isFailure = (answer: string): boolean => / 5\d\d |internal_error|rate_limited/.test(answer)
  return {
    lies: answers.filter((answer, at) => isTrue[at] !== true && !isFailure(answer)),
    truths: isTrue.filter(Boolean).length,
  }
}

describe("connections to PostgreSQL that are cut", () => {
  test("every route has something true to say", async () => {
    expect(madeLater).toHaveLength(2)
    expect(truth.filter((answer) => !/ (200|404) /.test(answer))).toEqual([])
    expect(truth.filter((answer) => / 200 /.test(answer)).length).toBeGreaterThanOrEqual(38)
    expect(await askedInTurn()).toEqual(truth)
  })

  test.each(["hangs", "refuses"] as const)(
    "a server that %s: every route says 503 and when to ask again, and recovers by itself",
    async (state) => {
      const base = service.access.production.base_url
      const outside: readonly Read[] = [
        // A photo's link is wrong without a look into the database.
        ...reads.filter(({ name }) => !name.includes("/photos/")),
        ...madeLater,
        { name: "GET /readyz", send: () => fetch(`${base}/readyz`) },
        { name: "GET authorize", send: () => fetch(`${base}/api/delivery-mcp/oauth/authorize?client_id=x`) },
        {
          name: "POST token",
          send: () =>
            fetch(`${base}/api/delivery-mcp/oauth/token`, {
              method: "POST",
              body: new URLSearchParams({
                grant_type: "refresh_token",
                refresh_token: "mcr_x",
                client_id: "x",
              }),
            }),
        },
      ]
      proxy.become(state)
      const answers = await Promise.all(outside.map(answered))
      const told = answers.map(({ status }, at) => `${outside[at]?.name ?? ""}: ${status}`)
      expect(told).toEqual(outside.map(({ name }) => `${name}: 503`))
      const silent = answers.filter(
        ({ headers, url }) => !headers.has("retry-after") && !url.endsWith("/readyz"),
      )
      expect(silent.map(({ url }) => url)).toEqual([])
      expect(await answers.at(-1)?.json()).toMatchObject({ error: "temporarily_unavailable" })
      proxy.become("well")
      await eventually(async () => expect((await lies()).truths).toBeGreaterThan(reads.length / 2))
      expect((await lies()).lies).toEqual([])
    },
  )

  test(`${COUNTS.rounds} rounds at random: no answer but the true one or a failure`, async () => {
    const chance = new Streams(SEED)
    const found: string[] = []
    let truths = 0
    for (let round = 0; round < COUNTS.rounds; round += 1) {
      const cut = CUTS[chance.between("cut", { from: 0, to: CUTS.length - 1 })] ?? "at once"
      const asking = lies()
      proxy.arm(cut, chance.between("count", { from: 1, to: 6 }))
      const answers = await asking
      proxy.disarm()
      found.push(...answers.lies.map((lie) => `round ${round}, ${cut}: ${lie}`))
      truths += answers.truths
    }
    expect(found).toEqual([])
    expect(truths).toBeGreaterThan((COUNTS.rounds * reads.length) / 2)
    for (const cut of CUTS) expect(proxy.cutsAt(cut)).toBeGreaterThan(COUNTS.rounds / 10)
    // After every cut, the following answers are complete again.
    expect((await lies()).lies).toEqual([])
  })

  test(`connections that the server ends, all at once, ${COUNTS.terminations} times`, async () => {
    const administrator = postgres(server.url, { max: 1 })
    const found: string[] = []
    for (let round = 0; round < COUNTS.terminations; round += 1) {
      const asking = lies()
      await administrator`
        select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name like 'curbline%'`
      found.push(...(await asking).lies)
    }
    await administrator.end()
    expect(found).toEqual([])
    expect((await lies()).lies).toEqual([])
  })

  test("the process has lived through it, and its log has no secret", async () => {
    expect(await Promise.race([service.exited, Promise.resolve("alive")])).toBe("alive")
    expect(service.log()).not.toMatch(/ck_(prod|sbx)_|ot_(prod|sbx)_|mca_/)
  })
})
