/**
 * The board of a site over the service as a user starts it, on both databases: changes are shown, a task is given and a reservation
 * is canceled from the drawer, a run moves to another vehicle, lists act on chosen rows, and a compartment opens at a customer's
 * door (`at-the-door.ts`). On one of them also: a phone is paired, and a lost connection is said and comes back. `npm run bench -- board` measures how soon a change is seen.
 */

import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, dataFolder, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { testsAtTheDoor } from "./at-the-door.ts"
import { boardOver, column } from "./board-service.ts"
import { openPage, problemsIn, startChromium } from "./chromium.ts"
import { NOW, dayText, sayDay } from "./day-states.ts"
import { forecastsAt } from "./forecast-states.ts"
import { look, lookInEachView } from "./look.ts"
import { testsOfToday } from "./today.ts"

/** A bound against hanging. */

/** Vehicles stay where they are: runs change when a test changes them. */
const STILL = ["--fleet-speed", "off"]

let browser: Browser
let service: ServiceProcess

const board = boardOver(
  () => browser,
  () => service,
)
const { openBoard, booked, delivered, report, operate } = board

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

describe("the board", () => {
  beforeAll(async () => {
    service = await startProcess(preparedDataFolder(), undefined, { words: STILL })
  })
  afterAll(() => service.stop())

  onEachDatabase()

  test("today of a site is readable full, empty, while it is made and when it cannot be read", async () => {
    const { page, close } = await openBoard("/replay")
    await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
    const shown = async (body: string | null, what: string): Promise<void> => {
      await sayDay(page, body)
      await page.reload()
      await page.getByText(what).first().waitFor()
      await lookInEachView(page, `today-${what}`)
    }
    await page.route("**/forecast?*", (route) =>
      route.fulfill({ json: { data: { forecast: forecastsAt(NOW).busy } } }),
    )
    await shown(dayText("full"), "North curb")
    expect(await page.getByRole("region", { name: "What is known" }).textContent()).toMatch(
      /After now Waits pass 8 min at \d\d:\d\d, 80% likely/,
    )
    expect(await page.locator(".time-line .expected").count()).toBeGreaterThan(0)
    await page.keyboard.press("/")
    await page.getByRole("dialog").getByRole("button").nth(3).click()
    await page.getByRole("complementary", { name: "Picked actor" }).waitFor()
    await lookInEachView(page, "today-picked")
    await page.keyboard.press("Escape")
    // Reads that fail later leave the day as it was.
    await sayDay(page, null)
    await page.getByText(/^Not read since/).waitFor()
    await lookInEachView(page, "today-cut-off")
    await shown(dayText("empty"), "Nothing happened today yet")
    await shown(null, "The day could not be read")
    const state = (name: string): string =>
      JSON.stringify({ success: true, data: { today: { site_id: "s", state: name, day: null } } })
    await shown(state("being_made"), "The journal of today is read.")
    await shown(state("unavailable"), "The day could not be made")
    await page.unroute("**/today")
    await page.goto(new URL("/ops/sites/nowhere/replay", page.url()).href)
    await page.getByRole("heading", { name: "There is no such site, or you may not see it" }).waitFor()
    await lookInEachView(page, "today-refused")
    await close()
  })

  test("pairs a phone by its code, gives the runner a task, and ends the phone", async () => {
    const order = "1190"
    const id = await booked(order)
    const { page, close } = await openBoard(`?reservation=${id}`)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Pair a phone" }).click()
    await page.getByLabel("Runner's name").fill("Maya R.")
    await page.getByRole("button", { name: "Show the code" }).click()
    await page.getByRole("img", { name: "Code that pairs the phone of Maya R." }).waitFor()
    await look(page)
    const link = await page.locator(".link-text").textContent()
    expect(link).toContain(`${service.urls.production}/runner#pair=`)
    const phone = (await openPage(browser, service.urls.production)).page
    await phone.goto(link ?? "")
    await page.getByText("The phone of Maya R. is paired.").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("One runner is on the shift.").waitFor()

    await page.getByRole("button", { name: "Give to…" }).click()
    await page.getByLabel("Runner", { exact: true }).selectOption({ label: "Maya R." })
    await page.getByRole("button", { name: "Give the task" }).click()
    await column(page, "Due")
      .getByText(/^Maya R\., since/)
      .waitFor()

    // The phone rings with sound and vibration until the runner answers, and the board says who did.
    await phone.setViewportSize({ width: 390, height: 844 })
    await phone.evaluate("navigator.vibrate = () => { globalThis.rings = (globalThis.rings ?? 0) + 1 }")
    await page.getByRole("button", { name: "Call a runner…" }).click()
    await page.getByLabel("Message (optional)").fill("The bot stands at the ramp.")
    await page.getByRole("button", { name: "Call", exact: true }).click()
    await page.getByText(/called at .+; the phones ring\.$/).waitFor()
    const ringing = phone.getByRole("alert")
    await ringing.getByRole("heading", { name: /^Order 1190 at / }).waitFor()
    await ringing.getByText("The bot stands at the ramp.").waitFor()
    await expect.poll(() => phone.evaluate("globalThis.rings >= 2")).toBe(true)
    for (const colorScheme of ["light", "dark"] as const) {
      await phone.emulateMedia({ colorScheme })
      expect(await problemsIn(phone), colorScheme).toEqual([])
    }
    await look(page)
    await phone.getByRole("button", { name: "I am coming" }).click()
    await page.getByText(/called at .+; Maya R\. answered at /).waitFor()
    await phone.getByRole("link", { name: /^Order 1190 at .+: You come\.$/ }).waitFor()
    expect(await phone.getByRole("button", { name: "I am coming" }).count()).toBe(0)

    // A step of the phone is on the open board, and in the drawer with who made it.
    await phone.getByRole("link", { name: /^Go on with/ }).click()
    await phone.getByRole("button", { name: "I am at the store" }).click()
    await column(page, "At store").getByText(order).waitFor()
    const moves = page.getByRole("region", { name: "From the runner's phone" })
    await moves.getByText("At the store").waitFor()
    expect(await moves.textContent()).toContain("Maya R.")

    await page.getByRole("button", { name: "Pair a phone" }).click()
    await page.getByRole("button", { name: "End the phone of Maya R." }).click()
    await page.getByText("No phone is paired.").waitFor()
    await phone.reload()
    await phone.getByRole("heading", { name: "Pair this phone" }).waitFor()
    await phone.context().close()
    await close()
    await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
  })

  test("on a wall shows no names and no controls, says how old it is without a network, and comes back", async () => {
    const id = await booked("1192")
    await operate("POST", `/reservations/${id}/runner`, { runner_id: "run_luis" })
    await operate("POST", `/reservations/${id}/exceptions`, { reason_code: "stall_blocked" })
    const { page, close } = await openBoard("/kiosk")
    await page.getByRole("heading", { name: "One needs help" }).waitFor()
    await expect.poll(() => page.title()).toMatch(/^\(1\) One needs help\./)
    await page.getByRole("list", { name: "Needs help" }).getByText("Stall is blocked").waitFor()
    expect(await page.getByRole("button").count()).toBe(0)
    expect(await page.getByText("run_luis").count()).toBe(0)
    await look(page)
    await page.getByText("Live", { exact: true }).waitFor()

    await page.context().setOffline(true)
    await page.getByText(/^Last update \d+ s ago/).waitFor()
    expect(await page.evaluate("getComputedStyle(document.querySelector('.kiosk-stalls')).filter")).toBe(
      "grayscale(1)",
    )
    await look(page)
    await operate("DELETE", `/reservations/${id}/exceptions?reason_code=stall_blocked`)
    await page.context().setOffline(false)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.getByRole("list", { name: "Needs help" }).waitFor({ state: "detached" })
    await close()
    await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
  })

  test("says on a phone that what the open drawer shows is of before", async () => {
    const id = await booked("1193")
    const { page, close } = await openBoard(`?reservation=${id}`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole("heading", { name: "Order 1193, stall" }).waitFor()
    expect(await page.locator(".live-mark").isVisible()).toBe(false)
    await page.context().setOffline(true)
    await page.getByText(/^Last update \d+ s ago/).waitFor({ state: "visible" })
    await page.setViewportSize({ width: 390, height: 500 })
    expect(await page.evaluate(MARK_IS_ON_TOP)).toBe(true)
    await look(page)
    await close()
    await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
  })

  test("finds an order by keyboard and opens it on its board", async () => {
    const id = await booked("S-77")
    const { page, close } = await openBoard()
    await page.getByText("Live", { exact: true }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("s-77")
    const option = page.getByRole("option", { name: /S-77/ })
    await option.waitFor()
    expect(await option.getAttribute("aria-selected")).toBe("true")
    expect(await problemsIn(page)).toEqual([])
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/ops/sites/*?reservation=${id}`)
    await page.getByRole("heading", { name: /^Order S-77, stall/ }).waitFor()
    await page.getByRole("button", { name: "Show the contact" }).click()
    await page
      .getByRole("link", { name: /^\+1\d{10}$/ })
      .first()
      .waitFor()
    // It stands where the button was.
    await page.locator('a[href^="tel:"]:focus').waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("no such order")
    await page.getByText("Nothing has this number.").first().waitFor()

    // Enter before the answer waits for it: the list still shows what an earlier text has found.
    const next = await booked("S-78")
    await page.getByRole("combobox", { name: /^Search by/ }).fill("s-77")
    await option.waitFor()
    await page.keyboard.press("Backspace")
    await page.keyboard.type("8")
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/ops/sites/*?reservation=${next}`)
    await close()
    for (const made of [id, next]) await operate("POST", `/reservations/${made}/cancel`, { by: "ops" })
  })

  test("takes a vehicle off line and on again", async () => {
    const { page, close } = await openBoard()
    const row = page.getByRole("table", { name: "Vehicles" }).getByRole("row").nth(1)
    await row.getByRole("button").click()
    expect(page.url()).toContain("?vehicle=")
    await page.getByRole("button", { name: "Take off line…" }).click()
    await page.getByText("It gets no new runs.").waitFor()
    await page.getByRole("button", { name: "Take off line", exact: true }).click()
    await row.getByText("Offline").waitFor()
    await look(page)
    await page.getByRole("button", { name: "Take on line…" }).click()
    await page.getByRole("button", { name: "Take on line", exact: true }).click()
    await row.getByText("Offline").waitFor({ state: "detached" })
    await close()
  })

  // The last one: the others need the service that it stops.
  test("goes on when the service stops in the middle of a shift and starts again", async () => {
    const id = await booked("R-1")
    const { page, strayed, close } = await openBoard()
    await page.getByText("Live", { exact: true }).waitFor()
    await service.stop()
    await page.getByText(/^Last update \d+ s ago/).waitFor()
    const ports = [service.urls.production, service.urls.sandbox].map((url) => Number(new URL(url).port))
    service = await startProcess(service.data, [ports[0] ?? 0, ports[1] ?? 0], { words: STILL })
    await page.getByText("Live", { exact: true }).waitFor()
    await report(id, "ARRIVED")
    await page
      .getByRole("list", { name: /^Stalls of/ })
      .getByText("Occupied for")
      .waitFor()
    expect(strayed).toEqual([])
    await close()
  })
})

describe("the board, on PostgreSQL", () => {
  let postgres: PostgresDatabase

  beforeAll(async () => {
    postgres = await startPostgres()
    const env = { DATABASE_URL: postgres.url, CURBLINE_SECRET: "s".repeat(32) }
    service = await startProcess(dataFolder(), undefined, { env, words: ["--demo", ...STILL] })
  })
  afterAll(async () => {
    await service.stop()
    await postgres.stop()
  })

  onEachDatabase()
})

function onEachDatabase(): void {
  testsOfToday(board)

  test("shows what changes, and acts on it from the drawer", async () => {
    const id = await booked("1187")
    const { page, strayed, complaints, close } = await openBoard()
    await page.getByText("Live", { exact: true }).waitFor()
    await column(page, "Due").getByRole("button", { name: /1187/ }).waitFor()
    await look(page)

    // A change is shown without a press.
    await report(id, "ARRIVED")
    await page
      .getByRole("list", { name: /^Stalls of/ })
      .getByText("Occupied for")
      .waitFor()

    await page.keyboard.press("Tab")
    const card = column(page, "Due").getByRole("button", { name: /1187/ })
    await card.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: /^Order 1187, stall/ }).waitFor()
    expect(page.url()).toContain(`?reservation=${id}`)
    await page.getByText("a runner to take the task").waitFor()
    await look(page)

    await page.getByRole("button", { name: "Give to…" }).click()
    await page.getByText("The runner sees the task as theirs.").last().waitFor()
    await look(page)
    await page.getByLabel("Or the id of a runner without a phone").fill("run_maya")
    await page.getByRole("button", { name: "Give the task" }).click()
    await page.getByText("the runner to be at the store").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("heading", { name: /^Order 1187, stall/ }).waitFor({ state: "detached" })
    await expect.poll(() => page.evaluate("document.activeElement?.dataset.opens")).toBe(id)

    // A move that the state does not take any more is refused in words.
    await card.click()
    await page.getByRole("button", { name: "Flag…" }).click()
    await page.getByLabel("What is wrong").selectOption({ label: "Stall is blocked" })
    await operate("POST", `/reservations/${id}/cancel`, { by: "runner" })
    await page.getByText("Nothing can be done in this state.").waitFor()
    await page.getByRole("button", { name: "Raise the flag" }).click()
    await page.getByRole("alert").getByText("Not done.").waitFor()
    await page.getByRole("button", { name: "Back", exact: true }).click()
    await page.getByText("canceled", { exact: true }).first().waitFor()
    await look(page)
    expect(strayed).toEqual([])
    // Of the first sign-in, and of the refused move.
    expect(complaints.filter((line) => !/401|409/.test(line))).toEqual([])
    await close()
  })

  test("moves a run that waits behind another to a vehicle with a free place; a full one is refused in words", async () => {
    const { production } = service.access
    const { body } = await operate("GET", `/vehicles?site_id=${production.site_id}`)
    const [own] = body.data["vehicles"] as readonly {
      readonly vehicle_id: string
      readonly fleet_id: string
    }[]
    const [carrier, taker] = [own?.vehicle_id ?? "", "veh_second"]
    await operate("POST", "/vehicles", { vehicle_id: taker, fleet_id: own?.fleet_id, label: "CB-09" })
    // Two places a vehicle: the third run goes to the other one.
    const carriedBy = async (number: string): Promise<string> => {
      const id = await delivered(number)
      expect((await operate("PUT", `/deliveries/${id}/vehicle`, { vehicle_id: carrier })).status).toBe(200)
      return id
    }
    const [first, second] = [await carriedBy("5521"), await carriedBy("5522")]
    const third = await delivered("5523")
    const { page, close } = await openBoard(`?delivery=${second}`)
    await page.getByRole("heading", { name: "Delivery 5522" }).waitFor()
    await look(page)
    const move = async (to: string): Promise<void> => {
      await page.getByRole("button", { name: "Move the run…" }).click()
      await page.getByText("takes the run behind its own").waitFor()
      await page.getByLabel("Vehicle", { exact: true }).selectOption(to)
      expect(await problemsIn(page)).toEqual([])
      await page.getByRole("button", { name: "Move the run", exact: true }).click()
    }
    await move(taker)
    await page.getByText("The run is moved").waitFor()
    await page.getByRole("complementary").getByRole("button", { name: "CB-09" }).click()
    await page.getByRole("heading", { name: /^CB-09/ }).waitFor()
    await page.getByRole("table", { name: "Vehicles" }).getByRole("row").nth(1).getByRole("button").click()
    await page.getByRole("heading", { name: /, 5521$/ }).waitFor()
    await move(taker)
    await page.getByRole("alert").getByText("Not done.").waitFor()
    await page
      .getByRole("alert")
      .getByText(/the chosen vehicle has no free place/)
      .waitFor()
    expect(await problemsIn(page)).toEqual([])
    await close()
    const vehicleOf = async (id: string): Promise<unknown> =>
      (await operate("GET", `/deliveries/${id}`)).body.data["delivery"]
    expect(await vehicleOf(first)).toMatchObject({ vehicle_id: carrier })
    expect(await vehicleOf(second)).toMatchObject({ vehicle_id: taker })
    for (const id of [first, second, third]) await operate("POST", `/deliveries/${id}/cancel`)
  })

  test("lists narrow by filters that the address keeps, and say of each chosen row what became of it", async () => {
    const { production } = service.access
    const [first, second] = [await delivered("L-1"), await delivered("L-2")]
    await operate("POST", `/deliveries/${second}/status`, { status: "COMPLETED" })
    const hook = { url: "http://127.0.0.1:9/hooks?key=1", events: ["pickup_status.changed"] }
    const { body } = await call(production, "POST", "/dd/v1/webhooks", hook)
    const webhookId = String(body.data["webhook_id"])
    await call(production, "PUT", `/dd/v1/webhooks/${webhookId}`, { is_active: false })

    const { page, strayed, complaints, close } = await openBoard()
    await page.getByText("Live", { exact: true }).waitFor()
    await page.getByRole("link", { name: "Lists" }).click()
    await page.getByRole("heading", { name: "Reservations", exact: true }).waitFor()
    await page.getByRole("link", { name: "Deliveries" }).click()
    await page.getByLabel("Search by delivery number").fill("l-2")
    await page.getByRole("link", { name: "L-1" }).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "L-2" }).waitFor()
    await expect.poll(() => page.url()).toContain("q=l-2")
    await page.getByLabel("Search by delivery number").fill("none such")
    await page.getByText("No delivery matches").waitFor()
    await look(page)
    await page.getByLabel("Search by delivery number").fill("")
    await page.getByLabel("Choose L-1").check()
    await page.getByLabel("Choose L-2").check()
    await page.getByText("2 deliveries chosen").waitFor()
    await look(page)
    await page.getByRole("button", { name: "Cancel…" }).click()
    await page.getByText("A cancelled delivery is not charged.").waitFor()
    await page.getByLabel("Reason (optional)").fill("no power")
    await look(page)
    await page.getByRole("button", { name: "Cancel 2 deliveries" }).click()
    await page.getByText("1 cancelled, 1 refused.").waitFor()
    const results = page.getByRole("list", { name: "Results" }).getByRole("listitem")
    expect(await results.allTextContents()).toEqual([
      expect.stringMatching(/^L-2[^]*is completed[^]*Refused$/),
      expect.stringMatching(/^L-1\s*Cancelled$/),
    ])
    await look(page)
    await page.getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: "Cancelled", exact: true }).click()
    await expect.poll(() => page.url()).toContain("state=5")
    await page.getByRole("link", { name: "L-1" }).waitFor()

    await page.getByRole("link", { name: "Endpoints" }).click()
    const row = page.getByRole("row").filter({ hasText: "127.0.0.1:9/hooks" })
    await row.getByText("Off", { exact: true }).waitFor()
    await row.getByRole("button", { name: "Switch on…" }).click()
    await page.getByText("Events from now on are sent.").waitFor()
    await page.getByRole("button", { name: /^Switch on 127/ }).click()
    await page.getByText("1 switched on.").waitFor()
    await page.getByRole("button", { name: "Close" }).click()
    await row.getByText("On", { exact: true }).waitFor()
    await look(page)

    await page.getByRole("link", { name: "Audit log" }).click()
    await page.getByRole("cell", { name: "Switch endpoint on" }).first().waitFor()
    const log = (await operate("GET", "/audit-log?limit=30")).body.data["actions"]
    for (const line of [
      { action: "switchEndpointOn", subject_id: webhookId, outcome: "done" },
      { action: "cancelDeliveryForOperations", subject_id: first, outcome: "done" },
      { action: "cancelDeliveryForOperations", subject_id: second, outcome: "INVALID_STATE" },
    ])
      expect(log).toContainEqual(expect.objectContaining({ actor_type: "token", ...line }))
    expect(strayed).toEqual([])
    // Of the first sign-in, and of the refused row.
    expect(complaints.filter((line) => !/401|409/.test(line))).toEqual([])
    await close()
  })

  testsAtTheDoor(
    () => browser,
    () => service,
    board,
  )
}

/** True when nothing covers the middle of the mark, and it is within the screen. */
const MARK_IS_ON_TOP = `(() => {
  const mark = document.querySelector(".live-mark.lost")
  const { left, top, width, height } = mark.getBoundingClientRect()
  return mark.contains(document.elementFromPoint(left + width / 2, top + height / 2))
})()`
