/**
 * Ten questions that engineers ask of the inspector, each answered in at most three actions. An action is a click, a key, a
 * field that is filled in, or a command that is typed; opening the page with the record is none.
 */

import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AccessRows } from "../../../src/http/access/rows.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { at } from "../../../src/pages/inspection/run-index.ts"
import { KeptBodies } from "../../../src/apps/inspector/kept-bodies.ts"
import type { KeptRequest } from "../../../src/apps/inspector/kept-bodies.ts"
import { InspectedGroups } from "../../../src/apps/inspector/rows.ts"
import type { GroupQuery, InspectedGroup } from "../../../src/apps/inspector/rows.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"
import { maskedExchange } from "../../../src/engine/services/outbound/masked-exchange.ts"
import { CurrentRequester } from "../../../src/engine/services/requester.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { newContext, problemsIn, startChromium } from "../../browser/chromium.ts"
import { ROOT, folder } from "../../cli/command-line.ts"
import { curblineHere } from "../../cli/same-process.ts"
import { booked, reservations, sandboxPartner, subscribe } from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { liveHarnesses } from "../../conformance/live-harnesses.ts"
import { transacted } from "../../conformance/transacted.ts"
import { inspectedHost, madeToken } from "../../apps/inspector/service.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { pageOf, show } from "./browser.ts"
import { recorded, scenarioNamed } from "./records.ts"

const ACTIONS_MAX = 3
const SCENARIO = "reservations/the-open-link-fails-three-times"

const record = recorded(runScenario(await scenarioNamed(SCENARIO)))
const { index } = record.run
const reservation = index.groups.find((group) => group.startsWith("reservation/")) ?? ""

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

type Act = (doing: () => Promise<unknown>) => Promise<void>

/** Answers a question; fails when that takes more actions than it may. */
async function inFewActions(answer: (act: Act) => Promise<void>): Promise<void> {
  let actions = 0
  await answer(async (doing) => {
    actions += 1
    await doing()
  })
  expect(actions).toBeLessThanOrEqual(ACTIONS_MAX)
}

/** Asks a page of the record, which opens at its end. */
async function asked(answer: (page: Page, act: Act) => Promise<void>, texts = [record.text]): Promise<void> {
  const { page, wrongs } = await show(browser, await pageOf(texts))
  await inFewActions((act) => answer(page, act))
  expect(wrongs).toEqual([])
  await page.context().close()
}

/** Filters the log, and chooses the entry that has this text: two actions. */
async function choose(
  page: Page,
  act: Act,
  { filter, text }: { readonly filter: string; readonly text: string },
): Promise<Locator> {
  const found = page.locator("#log [role=option]", { hasText: text })
  await act(() => page.locator("#filter").fill(filter))
  await act(() => found.click())
  return found
}

/** The line of a file of the project that a place names. */
function lineAt(place: string | null): string {
  const [file = "", line = ""] = (place ?? "").split(":")
  return (
    readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").split("\n")[Number(line) - 1] ?? ""
  )
}

describe("of a record", () => {
  test("1. Why did the call fail?", () =>
    asked(async (page, act) => {
      await choose(page, act, { filter: "event:call.failed", text: "connection failed" })
      const rows = await page.locator("#calls tr").allTextContents()
      expect(rows.filter((row) => row.includes("✕"))).toEqual([
        "111:58:00✕ timeout5s5s",
        "211:58:10✕ 50050ms15s",
        "311:58:25.050✕ connection failed0snone left",
      ])
      await page.getByRole("heading", { name: "The compartment could not be opened." }).waitFor()
      // A record says what it does not have, and why.
      expect(await page.locator("#calls .not-in-record").textContent()).toContain("The run was simulated")
    }))

  test("2. What began it, across groups, down to the command?", () =>
    asked(async (page, act) => {
      await choose(page, act, { filter: "kind:webhook-delivery by:result", text: "11:58:25.100" })
      const groups = await page.locator("#why .cause-group").allTextContents()
      expect(groups.map((text) => text.trim().replace(/ \S*$/, ""))).toEqual([
        "webhook delivery",
        "open link",
      ])
      expect(await page.locator("#why li .col-what").last().textContent()).toBe("runner.at_unit")
      const step = page.locator("#why-step")
      expect(await step.textContent()).toContain("do runner.at_unit")
      expect(lineAt(await step.locator("[data-copy]").getAttribute("data-copy"))).toContain(
        "do: runner.at_unit",
      )
      // Ids only, and none of them a host's: another run of the seed has the same.
      expect(await page.locator("#why-asked").textContent()).toMatch(
        /^asked byrunner's phone request[0-9a-f-]{36}/,
      )
    }))

  test("3. Why is this actor in its state, and where is that written?", () =>
    asked(async (page, act) => {
      await act(() => page.locator("#side").getByRole("button", { name: "Actors" }).click())
      await act(() => page.locator(`[data-actor="${reservation}/bot"]`).click())
      await page.getByRole("heading", { name: "Why: bot" }).waitFor()
      // The playhead stays at the end, and the causes are those of the bot's own last step.
      const last = String(index.s.at(-1))
      expect(await page.locator("#strip").getAttribute("data-s")).toBe(last)
      expect(await page.locator("#why .is-now .col-s").textContent()).not.toBe(last)
      const place = await page.locator("#why-source [data-copy]").first().getAttribute("data-copy")
      expect(place).toMatch(/^machines\/bot\.ts:\d+$/)
      expect(lineAt(place)).toContain("reservation.ended")
    }))

  test("4. What happened within milliseconds of this moment, and what within minutes?", () =>
    asked(async (page, act) => {
      await choose(page, act, { filter: "event:call.failed", text: "open link: 500" })
      const labels = await page.locator("#strip .strip-labels span").allTextContents()
      for (const label of ["−1s", "+1s", "+10m"]) expect(labels).toContain(label)
      // The call and its answer, 50 ms apart in half an hour, are two marks.
      const bars = await page.locator("#strip .entries, #strip .failures").evaluateAll((marks) =>
        marks.flatMap((mark) => [
          ...[...(mark.getAttribute("d") ?? "").matchAll(/M(\d+)/g)].map((found) => Number(found[1])),
          ...(mark.getAttribute("x") ?? "")
            .split(" ")
            .filter(Boolean)
            .map((x: string) => parseFloat(x) * 100),
        ]),
      )
      expect(new Set(bars).size).toBeGreaterThan(8)
      expect(await page.locator("#clock").textContent()).toBe("11:58:10.050")
    }))

  test("5. What did the step change, in values that people read?", () =>
    asked(async (page, act) => {
      await choose(page, act, { filter: "event:runner.at_unit", text: "runner.at_unit" })
      await page.locator('#context[data-step]:not([data-step=""]) .is-changed').first().waitFor()
      const changed = await page.locator("#context .is-changed").allTextContents()
      expect(changed.find((text) => text.includes("atUnitAtMs"))).toBe(
        "● atUnitAtMsnull → 2026-03-02 11:58:00",
      )
      // Instants and durations are never numbers of milliseconds.
      expect((await page.locator("#context tbody td").allTextContents()).join(" ")).not.toMatch(/\d{6,}/)
      const lines = await page
        .locator("#context tbody tr")
        .evaluateAll((rows) => rows.map((row) => row.className))
      expect(lines.lastIndexOf("is-changed")).toBe(changed.length - 1)
    }))

  test("6. Which entry is this, on the page, in its address and in commands?", () =>
    asked(async (page, act) => {
      const chosen = await choose(page, act, { filter: "event:call.failed", text: "open link: 500" })
      const s = await chosen.locator(".col-s").textContent()
      expect(await page.locator("#place").textContent()).toContain(`entry ${s} of ${index.s.at(-1)}`)
      expect(await page.getByRole("button", { name: "Copy moment" }).getAttribute("data-copy")).toBe(s)
      await page.waitForURL((url) => url.hash.includes(`at=${s}`))
      const file = join(folder(), "run.ndjson")
      writeFileSync(file, record.text)
      await act(async () => {
        const { out } = await curblineHere("replay", file, "--until", s ?? "")
        expect(out).toContain(`up to ${s}: the same to the byte`)
        expect(out).toMatch(/open-link-1 trying.waiting/)
      })
    }))

  test("7. In which state is it, what does it wait for, and what is due next?", () =>
    asked(async (page, act) => {
      await choose(page, act, { filter: "by:timer", text: "11:58:10" })
      const answers = await page.locator(".answers > div").allTextContents()
      expect(answers[0]).toContain("runner task open.handoff_ready")
      expect(answers[0]).toContain("open link 1 trying.calling")
      expect(answers[1]).toContain("the answer to open link, attempt 2")
      expect(answers[1]).toContain("runner task: load recorded or open link retried")
      expect(answers[1]).toContain("bot: secured, departed or aborted")
      expect(answers[2]).toContain("lease of the call, 11:58:18")
    }))
})

/** Two courses of a visit: one is canceled, and in the other the runner is assigned a minute later and loads nothing. */
function visit(isCanceled: boolean): string {
  const begun = scenario("A visit", { because: "It is compared.", clock: "2026-03-02T11:30 America/Chicago" })
    .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
    .at(isCanceled ? "11:40" : "11:41")
    .do("runner.assign", { for: "lunch" })
    .at("11:46")
    .do("runner.at_store", { for: "lunch" })
  const made = isCanceled ? begun.at("11:50").do("reservation.cancel", { for: "lunch" }) : begun
  return recorded(runScenario(made.build())).text
}

describe("of two courses", () => {
  test("8. Where do two runs differ, whatever the numbers of their entries?", () =>
    asked(
      async (page, act) => {
        await act(() => page.getByRole("button", { name: "Compare side by side" }).click())
        await page.locator("#pairs tbody tr").first().waitFor()
        const differing = await page.locator("#pairs tbody tr").allTextContents()
        expect(differing[0]).toMatch(/^other time.*runner\.assigned.*runner\.assigned/)
        expect(differing.filter((text) => text.startsWith("only in one.ndjson")).join(" ")).toContain(
          "cancel.requested",
        )
        expect(await page.locator("#likeness").textContent()).toMatch(/^[1-9]\d* same, 1 other time, /)
        expect(await page.locator("dialog[open]").textContent()).toMatch(
          /runner-task \S+ ends as canceled → failed/,
        )
      },
      [visit(true), visit(false)],
    ))

  test("9. What would have happened otherwise from this moment on?", async () => {
    const place = folder()
    const fileIn = (name: string): string => join(place, name)
    writeFileSync(fileIn("one.ndjson"), record.text)
    const s = at(
      index.s,
      index.event.findIndex((word) => index.words[word] === "runner.at_unit"),
    )
    const { page } = await show(browser, await pageOf([record.text]), { hash: `#at=${s}` })
    await inFewActions(async (act) => {
      await act(() => page.getByRole("button", { name: "Fork from here" }).click())
      const pasted = (await page.locator(".fork-steps pre").textContent()) ?? ""
      // A shell takes the command with its steps, and the address that it prints is opened.
      let terminal: Terminal | undefined
      await act(async () => {
        terminal = await pastedInto(place, pasted)
      })
      const both = await browser.newPage()
      await act(() => both.goto(terminal?.url ?? ""))
      const section = both.locator("#comparison")
      await section.locator("#pairs tbody tr").first().waitFor()
      expect(await section.textContent()).toContain("open-link-1 …jqSE ends as failed → opened")
      await both.close()
      terminal?.stop()
    })
  })
})

/** A shell in which a command serves a page. */
interface Terminal {
  readonly url: string
  readonly stop: () => void
}

/** Pastes a text into a shell in the folder, in which `npx curbline` is this checkout, and waits for an address. */
async function pastedInto(place: string, text: string): Promise<Terminal> {
  const command = `npx() { shift; exec "${process.execPath}" "${join(ROOT, "src/cli/curbline.js")}" "$@"; }`
  const shell = spawn("sh", ["-c", `${command}\n${text}\n`], {
    cwd: place,
    env: { ...process.env, CI: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface({ input: shell.stdout }))
    if (line.startsWith("http://127.0.0.1:")) return { url: line, stop: () => void shell.kill("SIGINT") }
  throw new Error("the command ended without an address")
}

const REQUESTED = "7d9f6c1e-0000-4000-8000-000000000001"
const ATTEMPT = "6f1d1c0e-2b7a-4c8e-9a41-3f0d5c2e7b16"
const PARTNER = sandboxPartner.organizationId
/** Longer than the page shows at once. */
const LONG_ANSWER = JSON.stringify({ success: true, data: Array.from({ length: 60 }, (_, line) => line) })

/** A canceled reservation whose webhook was sent, and the rows that a service keeps about both. */
async function canceledByKey(h: LiveHarness): Promise<string> {
  await subscribe(h, { caller: sandboxPartner })
  const id = await booked(h, { order_number: "1187" }, sandboxPartner)
  const requester = { request: REQUESTED, type: "key", id: "key_1" } as const
  await h.run(Effect.locally(reservations.cancel(sandboxPartner, id), CurrentRequester, requester))
  const organization = {
    organizationId: PARTNER,
    name: "Bolt",
    isActive: true,
    isFleetPartner: true,
    isSandboxPartner: false,
  }
  const request: KeptRequest = {
    requestId: REQUESTED,
    environment: "sandbox",
    organizationId: PARTNER,
    atMs: 0,
    method: "DELETE",
    route: "/rs/v1/reservations/:id",
    status: 200,
    code: null,
    keyId: "key_1",
    lastFour: "aZ09",
    sentId: "caller-7",
    sent: null,
    answered: LONG_ANSWER,
    isCut: false,
  }
  await transacted(
    h,
    Effect.flatMap(AccessRows, (rows) =>
      rows.insertOrganization({ ...organization, environments: ["sandbox"], createdAtMs: 0, updatedAtMs: 0 }),
    ),
    Effect.flatMap(KeptBodies, (bodies) => bodies.append({ requests: [request], exchanges: [] })),
  )
  return id
}

/** The first entry of a group, as its page numbers it: behind the charts. */
const firstEntry = registeredMachines().length + 1

async function deliveryOf(h: LiveHarness): Promise<InspectedGroup> {
  const query: GroupQuery = {
    environment: "sandbox",
    kind: "webhook-delivery",
    addressPart: null,
    orderNumber: null,
    organization: null,
    isOpen: false,
    isStopped: false,
    dueBeforeMs: null,
    beforeNumber: null,
    limit: 1,
  }
  const [found] = await h.run(Effect.flatMap(InspectedGroups, (rows) => rows.list(query)))
  if (found === undefined) throw new Error("no webhook was sent")
  return found
}

describe("of the running service", () => {
  const { make } = liveHarnesses(async () => layerCopiedPglite)

  /** Signs in, and opens a page of the inspector. */
  async function opened(
    h: LiveHarness,
    answer: (page: Page, act: Act) => Promise<void>,
    path = "/inspect",
  ): Promise<void> {
    const app = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1" })
    await app.listen({ host: "127.0.0.1", port: 0 })
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const page = await (await newContext(browser)).newPage()
    await page.goto(`${origin}${path}`)
    await page.getByLabel("Operator token").fill((await madeToken(h, "sandbox")).value)
    await page.keyboard.press("Enter")
    await page.getByRole("heading").first().waitFor()
    await inFewActions((act) => answer(page, act))
    await page.context().close()
    await app.close()
  }

  test("1. Why did the call fail? With what was sent and answered", async () => {
    const h = make()
    await canceledByKey(h)
    await h.advance(SECOND_MS)
    const { address } = await deliveryOf(h)
    const exchange = { actor: address, attempt: 1, atMs: 0, status: 500, isCut: false }
    const sent = `{"event_type":"reservation.status_changed","attempt_id":"${ATTEMPT}"}`
    const masked = (text: string): string | null => maskedExchange(text)?.text ?? null
    const texts = { sent: masked(sent), answered: masked('{"error":"door_jammed"}') }
    await transacted(
      h,
      Effect.flatMap(KeptBodies, (bodies) =>
        bodies.append({ requests: [], exchanges: [{ ...exchange, ...texts }] }),
      ),
    )
    await opened(
      h,
      async (page, act) => {
        await page.locator("#calls").waitFor()
        await act(() => page.getByRole("button", { name: "Bodies of try 1 of webhook delivery" }).click())
        await page.getByText("Answered 500").waitFor()
        const first = await page.locator("#calls .attempt-bodies").textContent()
        expect(first).toContain('"event_type": "reservation.status_changed"')
        expect(first).toContain(`attempt_id ${ATTEMPT}`)
        expect(first).toContain('Answered 500{\n  "error": "door_jammed"\n}')
      },
      `/inspect/groups/${address}`,
    )
  })

  test("2. Who asked for it, across groups?", async () => {
    const h = make()
    const id = await canceledByKey(h)
    await opened(
      h,
      async (page, act) => {
        await page.locator("#why").waitFor()
        await act(() => page.getByRole("button", { name: "Show who asked" }).click())
        const answer = page.locator("#why-asked")
        await answer.getByText("····aZ09").waitFor()
        const text = (await answer.textContent()) ?? ""
        expect(text).toContain("key ····aZ09 of Bolt")
        // The head says the same from then on.
        expect(await page.locator("#asked-by strong").textContent()).toBe("key ····aZ09 of Bolt")
        expect(await page.locator("#breadcrumbs a").allTextContents()).toEqual(["Groups", "webhook delivery"])
        expect(text).toContain(`request${REQUESTED}`)
        expect(text).toContain("the caller's idcaller-7")
        expect(text).toContain("the command cancel.requested")
        const link = await answer.getByRole("link").getAttribute("href")
        expect(link).toContain(`/inspect/groups/reservation/${id}#at=`)
        expect(await problemsIn(page)).toEqual([])
      },
      `/inspect/groups/${(await deliveryOf(h)).address}#at=${firstEntry}`,
    )
  })

  test("9. What would have happened otherwise, from the journal as it is now?", async () => {
    const h = make()
    const id = await canceledByKey(h)
    const place = folder()
    await opened(
      h,
      async (page, act) => {
        await act(() => page.getByRole("button", { name: "Fork from here" }).click())
        const dialog = page.locator("dialog[open]")
        expect(await dialog.textContent()).toContain("nothing is written to the service")
        const pasted = (await dialog.locator("pre").textContent()) ?? ""
        const downloading = page.waitForEvent("download")
        await act(() => dialog.getByRole("link", { name: "Download the record" }).click())
        const download = await downloading
        await download.saveAs(join(place, download.suggestedFilename()))
        const kept = pasted.replace("--inspect", "--inspect --out what-if.ndjson")
        await act(async () => (await pastedInto(place, kept)).stop())
      },
      `/inspect/groups/reservation/${id}`,
    )
    const forked = readFileSync(join(place, "what-if.ndjson"), "utf8")
    expect(replayRecord(forked, program).difference).toBeNull()
  })

  test("10. Which group is that of an order, and how is it now?", async () => {
    const h = make()
    const app = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1" })
    await app.listen({ host: "127.0.0.1", port: 0 })
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const id = await booked(h, { order_number: "1187" }, sandboxPartner)
    await booked(h, { order_number: "1188" }, sandboxPartner)
    await h.run(reservations.reportBot(sandboxPartner, id, { status: "ARRIVED" }))
    const page = await (await newContext(browser)).newPage()
    await page.goto(`${origin}/inspect`)
    await page.getByLabel("Operator token").fill((await madeToken(h, "sandbox")).value)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Groups" }).waitFor()
    await inFewActions(async (act) => {
      await act(() => page.getByLabel("Order number").fill("1187"))
      await act(() => page.keyboard.press("Enter"))
      await page.waitForURL(/order=1187/)
      const rows = page.locator("tbody tr")
      expect(await rows.count()).toBe(1)
      expect(await rows.textContent()).toContain("underway.arrived")
      await act(() => rows.getByRole("link").click())
      await page.getByText("● live").waitFor()
      expect(await page.locator("#headline").textContent()).toBe("The reservation is arrived.")
    })
    await page.context().close()
    await app.close()
  })
})
