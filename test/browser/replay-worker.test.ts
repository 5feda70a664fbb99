/**
 * The simulator in a browser's worker: a run has there the digest that it has in Node, of every model and every scenario of this checkout,
 * under a policy that forbids `eval`. Every engine that this machine has is tried: a Chromium, and a Firefox if Playwright has installed one.
 */

import { existsSync, readFileSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import Fastify from "fastify"
import type { FastifyInstance } from "fastify"
import { firefox } from "playwright-core"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { besideAt, readFleetFile } from "../../src/cli/fleets/fleet-files.ts"
import { openFragmentFile } from "../../src/cli/scenarios/fragment-files.ts"
import { goldenPath, goldenText } from "../../src/cli/scenarios/golden.ts"
import { languageNames, readPaths, sortedPaths } from "../../src/cli/scenarios/scenario-files.ts"
import { assetsPlugin } from "../../src/http/pages/assets.ts"
import { SIMULATION_FOLDERS } from "../../src/live/bundling/replay-bundle.ts"
import { replayWorker, replayWorkerAt } from "../../src/live/bundling/replay-worker.ts"
import type { FromReplayWorker, ReplayRequest, ToReplayWorker } from "../../src/model/replay/messages.ts"
import { workerScript } from "../../src/pages/bundling/worker-bundle.ts"
import { casesOf, inCase } from "../../src/simulation/fleet/language/cases.ts"
import { chartsOf } from "../../src/live/bundling/machine-charts.ts"
import { ReplayRun } from "../../src/simulation/fleet/replay/replay-run.ts"
import { replayRequest } from "../../src/simulation/fleet/replay/replay-request.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { readScenarios } from "../../src/simulation/scenario/language/read.ts"
import type { ScenarioRun } from "../../src/simulation/scenario/run.ts"
import { openPage, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import type { ScenarioOrder } from "./scenario-worker.ts"

const GZIP_BYTES_MAX = 384 * 1024

const ENGINES = [
  { name: "Chromium", start: startChromium },
  ...(existsSync(firefox.executablePath()) ? [{ name: "Firefox", start: () => firefox.launch() }] : []),
]

const MODELS = "scenarios/fleets"
const models = readdirSync(MODELS).filter((name) => name.endsWith(".yaml"))
const scenarioFiles = sortedPaths(["scenarios"]).scenarios

/** A message; of a chunk the end of its rows, and whether it has columns. */
type Told = FromReplayWorker & { readonly untilMs?: number; readonly columns?: boolean }

async function requestOf(name: string): Promise<ReplayRequest> {
  const { model } = await readFleetFile(`${MODELS}/${name}`)
  const asked = { file: name, text: readFileSync(`${MODELS}/${name}`, "utf8"), seed: null }
  return replayRequest(
    asked,
    besideAt((other) => `${MODELS}/${other}`),
    model?.logs,
  )
}

/** Starts workers and sends them messages. `ask` gives what a worker says, up to the first message of the types in `lasts`. */
const PAGE_SCRIPT = `
const workers = new Map()
globalThis.start = (name, path) => void workers.set(name, new Worker(path))
globalThis.startFromText = async (name, path) => {
  const text = await (await fetch(path)).text()
  workers.set(name, new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))))
}
globalThis.ask = (name, messages, lasts) => new Promise((resolve, reject) => {
  const worker = workers.get(name)
  const told = []
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.onmessage = ({ data }) => {
    const { chunk, ...rest } = data
    const columns = chunk && Object.values(chunk.legs).every((column) => ArrayBuffer.isView(column))
    told.push(chunk === undefined ? data : { ...rest, untilMs: chunk.untilMs, columns })
    if (lasts === null || lasts.includes(data.type)) resolve(told)
  }
  for (const message of messages) worker.postMessage(message)
})
`

let app: FastifyInstance
let origin: string

beforeAll(async () => {
  const entry = fileURLToPath(new URL("scenario-worker.ts", import.meta.url))
  const folders = [...SIMULATION_FOLDERS, "../test/browser"]
  const scenarios = await workerScript({ name: "scenarios", entry, folders, without: {} })
  const script = "text/javascript; charset=utf-8"
  app = Fastify({ forceCloseConnections: true })
  await app.register(assetsPlugin, { asset: replayWorkerAt })
  const policy =
    "default-src 'none'; script-src 'self'; worker-src 'self' blob:; connect-src 'self'; img-src 'self'"
  app.get("/", (_, reply) =>
    reply
      .type("text/html")
      .header("Content-Security-Policy", policy)
      .send('<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>'),
  )
  app.get("/page.js", (_, reply) => reply.type(script).send(PAGE_SCRIPT))
  app.get("/scenarios.js", (_, reply) =>
    reply.type(script).header("Content-Security-Policy", "default-src 'none'").send(scenarios),
  )
  origin = await app.listen({ host: "127.0.0.1", port: 0 })
})
afterAll(() => app.close())

test("the script is one file of at most 384 KB, and has its own policy", async () => {
  const { path, asset } = await replayWorker()
  expect(path).toMatch(/^\/assets\/replay-worker-[0-9a-f]{16}\.js$/)
  expect(gzipSync(asset.body).length).toBeLessThanOrEqual(GZIP_BYTES_MAX)
  const answer = await fetch(`${origin}${path}`)
  expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'")
  expect(await answer.text()).toBe(asset.body)
  expect((await fetch(`${origin}/assets/replay-worker-0000000000000000.js`)).status).toBe(404)
})

describe.each(ENGINES)("in a worker of $name", ({ start }) => {
  let browser: Browser
  let opened: OpenedPage
  const call = <A>(name: string, ...given: readonly unknown[]): Promise<A> =>
    opened.page.evaluate(`${name}(...${JSON.stringify(given)})`)
  const ask = (worker: string, messages: readonly ToReplayWorker[], last: FromReplayWorker["type"]) =>
    call<readonly Told[]>("ask", worker, messages, [last, "failed"])

  beforeAll(async () => {
    browser = await start()
    opened = await openPage(browser, origin)
    await opened.page.goto(origin)
    await call("start", "fleets", (await replayWorker()).path)
    await call("start", "scenarios", "/scenarios.js")
  })
  afterAll(async () => {
    await browser.close()
  })

  test.each(models)("%s has the digest of Node", async (name) => {
    const { model } = await readFleetFile(`${MODELS}/${name}`)
    if (model === null) throw new Error(`${name} is no model`)
    const { digest, turns } = replicate(inCase(model, casesOf(model)[0] ?? []), { seed: model.seed })
    const told = await ask("fleets", [{ type: "open", token: 1, run: await requestOf(name) }], "done")
    expect(told.at(-1)).toEqual({ type: "done", token: 1, digest, turns })
    const chunks = told.filter(({ type }) => type === "chunk")
    expect(chunks.length).toBeGreaterThan(0)
    expect(chunks.every(({ columns }) => columns)).toBe(true)
  })

  test("a script from a text runs too, a new run ends the one before, and a journal is answered after the end", async () => {
    const { path } = await replayWorker()
    await call("startFromText", "text", path)
    const told = await ask(
      "text",
      [
        { type: "open", token: 1, run: await requestOf("city-day.yaml") },
        { type: "open", token: 2, run: await requestOf("quiet-site.yaml") },
      ],
      "done",
    )
    expect(told.at(-1)).toMatchObject({ type: "done", token: 2 })
    const firstOfSecond = told.findIndex(({ token }) => token === 2)
    expect(told.slice(firstOfSecond).every(({ token }) => token === 2)).toBe(true)
    const address = "vehicle/veh_0_0001"
    const here: FromReplayWorker[] = []
    const run = new ReplayRun({
      token: 2,
      run: await requestOf("quiet-site.yaml"),
      tell: (one) => here.push(one),
      chartsOf,
    })
    run.advance(() => false)
    run.journal(address)
    const asked = [1, 2].map((token) => ({ type: "journal", token, address }) as const)
    expect(await ask("text", asked, "journal")).toEqual(here.slice(-1))
  })

  test.each(scenarioFiles)("%s comes to what its golden file says", async (file) => {
    const order = await orderOf(file)
    const [{ problems, runs } = { problems: null, runs: [] }] = await call<
      readonly { readonly problems: unknown; readonly runs: readonly ScenarioRun[] }[]
    >("ask", "scenarios", [order], null)
    expect(problems).toEqual([])
    expect(goldenText(runs)).toBe(readFileSync(goldenPath(file), "utf8"))
  })
})

const names = languageNames()

async function orderOf(file: string): Promise<ScenarioOrder> {
  if (file.endsWith(".ts")) {
    const { scenarios } = await readPaths([file])
    return { file, written: scenarios, names, fragments: {} }
  }
  const written = readFileSync(file, "utf8")
  const fragments: Record<string, ReturnType<typeof openFragmentFile>> = {}
  readScenarios(
    file,
    written,
    names,
    (from, path) => (fragments[`${from}\n${path}`] = openFragmentFile(from, path)),
  )
  return { file, written, names, fragments }
}
