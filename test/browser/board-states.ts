/** The board of a site in its states, for pictures: full, empty, with a drawer, on a wall, without a connection, failed. */

import type { Page } from "playwright-core"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import type {
  BoardRecord,
  CardRecord,
  RunRecord,
  StallRecord,
  VehicleRecord,
} from "../../src/pages/web/ops/board/records.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { forecastsAt } from "./forecast-states.ts"
import type { Shot } from "./portal-states.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

type StallShape = readonly [
  label: string,
  state: StallRecord["state"],
  minutes: number | null,
  order: number | null,
]

function stallOf(nowMs: number, [label, state, minutes, order]: StallShape): StallRecord {
  return {
    stall_id: `stall_${label}`,
    label,
    is_active: true,
    state,
    at: minutes === null ? null : iso(nowMs + minutes * MINUTE_MS),
    reservation_id: order === null ? null : `res_${order}`,
  }
}

const STALLS: readonly StallShape[] = [
  ["A1", "due", 12.2, 1195],
  ["A2", "occupied", -4.7, 1188],
  ["A3", "free", 34, 1193],
  ["A4", "late", -2.8, 1187],
  ["A5", "free", null, null],
  ["A6", "due", 19.2, 1198],
  ["A7", "occupied", -2.3, 1190],
]

const CORNER: readonly StallShape[] = [
  ["B1", "free", 25, 1201],
  ["B2", "due", 6.2, 1192],
  ["B3", "late", -0.8, 1189],
]

interface CardShape extends Partial<CardRecord> {
  readonly order: number
  readonly stall: string
  readonly column: CardRecord["column"]
  /** Until the promise breaks. */
  readonly minutes: number
}

const BY_MAYA = { runner_id: "run_1", runner_name: "Maya R." }
const BY_KIM = { runner_id: "run_2", runner_name: "Kim T." }
const BY_LUIS = { runner_id: "run_3", runner_name: "Luis P." }
const NO_REPORT = { bot_status: null, bot_label: null }
const READY = { bot_status: "READY_FOR_HANDOFF", handoff_status: "HANDOFF_READY" } as const

const CARDS: readonly CardShape[] = [
  {
    order: 1187,
    stall: "A4",
    column: "trouble",
    minutes: -2.8,
    trouble: "access_failed",
    waits_for: "door_again",
    ...READY,
    ...BY_MAYA,
  },
  {
    order: 1189,
    stall: "B3",
    column: "trouble",
    minutes: -0.8,
    trouble: "bot_no_show",
    handoff_status: "AT_UNIT",
    ...NO_REPORT,
    ...BY_KIM,
  },
  { order: 1190, stall: "A7", column: "in_hand", minutes: 3.2, handoff_status: "RETRIEVED", ...BY_LUIS },
  { order: 1188, stall: "A2", column: "at_bot", minutes: 5.2, ...READY, ...BY_KIM },
  { order: 1192, stall: "B2", column: "at_store", minutes: 6.2, handoff_status: "AT_STORE", ...BY_MAYA },
  { order: 1195, stall: "A1", column: "due", minutes: 12.2 },
  { order: 1198, stall: "A6", column: "due", minutes: 19.2 },
  { order: 1201, stall: "B1", column: "due", minutes: 28.2, ...NO_REPORT },
  {
    order: 1193,
    stall: "A3",
    column: "at_store",
    minutes: 33.2,
    handoff_status: "HELD",
    ...NO_REPORT,
    ...BY_LUIS,
  },
]

function cardOf(nowMs: number, { order, stall, minutes, ...shape }: CardShape): CardRecord {
  const breach = iso(nowMs + minutes * MINUTE_MS)
  return {
    reservation_id: `res_${order}`,
    order_number: String(order),
    retailer_name: "Lunchbox",
    zone_id: "zone_1",
    stall_id: `stall_${stall}`,
    stall_label: stall,
    trouble: null,
    waits_for: "runner",
    since: iso(nowMs - 3 * MINUTE_MS),
    due_at: breach,
    breach_at: breach,
    is_late: minutes < 0,
    risk: null,
    bot_status: "INBOUND",
    bot_label: `Bolt ${order % 20}`,
    handoff_status: "QUEUED",
    runner_id: null,
    runner_name: null,
    ready_estimate: null,
    next_timer: { name: "window and grace", at: iso(nowMs + 28 * MINUTE_MS) },
    revision: 1,
    clock_at: iso(nowMs),
    clock_stands: false,
    ...shape,
  }
}

function runOf(nowMs: number, order: number, status: RunRecord["status"]): RunRecord {
  return {
    delivery_id: `dlv_${order}`,
    external_delivery_id: `Order ${order}`,
    status,
    site_id: "site",
    estimated_pickup_at: status === "EN_ROUTE_TO_CUSTOMER" ? null : iso(nowMs + 3 * MINUTE_MS),
    estimated_delivery_at: iso(nowMs + 14 * MINUTE_MS),
    arrives_from: iso(nowMs + 9 * MINUTE_MS),
    arrives_to: iso(nowMs + 17 * MINUTE_MS),
    since: iso(nowMs - 5 * MINUTE_MS),
    clock_at: iso(nowMs),
    clock_stands: false,
    compartment: status === "ARRIVED_AT_CUSTOMER" ? "failed" : null,
  }
}

type VehicleShape = readonly [
  id: string,
  state: VehicleRecord["state"],
  run: readonly [order: number, status: RunRecord["status"]] | null,
  fixSeconds: number,
  battery: number | null,
  latitude: number,
  longitude: number,
]

const VEHICLES: readonly VehicleShape[] = [
  ["CB-07", "driving", [5521, "EN_ROUTE_TO_CUSTOMER"], 4, 82, 30.396, -97.72],
  ["CB-03", "waits_for_load", [5524, "WAITING_FOR_LOAD"], 2, 64, 30.4022, -97.7251],
  ["CB-11", "driving", [5517, "ARRIVED_AT_CUSTOMER"], 5, 14, 30.392, -97.718],
  ["CB-09", "free", null, 3, 100, 30.404, -97.73],
  ["CB-05", "offline", [5519, "EN_ROUTE_TO_STORE"], 360, null, 30.389, -97.711],
]

export function fullBoard(nowMs: number): BoardRecord {
  const stalls = (shapes: readonly StallShape[]): readonly StallRecord[] =>
    shapes.map((shape) => stallOf(nowMs, shape))
  return {
    site_id: "site",
    name: "Domain North",
    timezone: "America/Chicago",
    position: { latitude: 30.4021, longitude: -97.7253 },
    at: iso(nowMs),
    counters: [
      { retailer_id: "retailer_1", name: "Lunchbox" },
      { retailer_id: "retailer_2", name: "Noodles" },
    ],
    zones: [
      { zone_id: "zone_1", name: "Domain Dr", stalls: stalls(STALLS) },
      { zone_id: "zone_2", name: "Rock Rose", stalls: stalls(CORNER) },
    ],
    reservations: CARDS.map((shape) => cardOf(nowMs, shape)),
    vehicles: VEHICLES.map(([id, state, run, fixSeconds, battery, latitude, longitude]) => ({
      vehicle_id: id,
      label: id,
      state,
      run: run === null ? null : runOf(nowMs, ...run),
      queued: 0,
      last_fix_at: iso(nowMs - fixSeconds * SECOND_MS),
      battery_percent: battery,
      position: { latitude, longitude },
    })),
    runners_count: 3,
    runner_calls: [],
    is_complete: true,
  }
}

/** Signs in, and gives the shots; the page's board is then the full one, and the reservation of the drawer a real one. */
export async function boardShots(
  page: Page,
  { urls, access }: ServiceProcess,
  reservationId: string,
): Promise<readonly Shot[]> {
  const site = `${urls.production}/ops/sites/${access.production.site_id}`
  await page.goto(`${urls.production}/ops/sign-in`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(access.production.operator_token)
  await page.keyboard.press("Enter")
  await page.waitForURL(`${urls.production}/ops`)
  const asFull = async (): Promise<void> => {
    await page.route("**/board", (route) =>
      route.fulfill({ json: { data: { board: fullBoard(Date.now()) } } }),
    )
    await page.route("**/forecast?*", (route) =>
      route.fulfill({ json: { data: { forecast: forecastsAt(Date.now()).busy } } }),
    )
    await page.reload()
    await page.getByRole("heading", { name: /^Three need help/ }).waitFor()
  }
  const isLost = async (): Promise<void> => {
    await asFull()
    await page.route("**/board", (route) => route.abort())
    await page.getByText(/^Last update/).waitFor()
  }
  const back = () => page.unrouteAll({ behavior: "ignoreErrors" })
  const shot = (name: string, path: string, act?: () => Promise<void>): Shot => ({
    name: `board-${name}`,
    url: `${site}${path}`,
    act: async () => act?.(),
  })
  return [
    shot("real", ""),
    shot("drawer", `?reservation=${reservationId}`),
    shot("cancel", `?reservation=${reservationId}`, () =>
      page.getByRole("button", { name: "Cancel…" }).click(),
    ),
    shot("pair", "", async () => {
      await page.getByRole("button", { name: "Pair a phone" }).click()
      await page.getByLabel("Runner's name").fill("Maya R.")
      await page.getByRole("button", { name: "Show the code" }).click()
      await page.locator(".qr-code").waitFor()
    }),
    shot("full", "", asFull),
    shot("vehicle", "?vehicle=CB-11", asFull),
    shot("lost", "", isLost),
    shot("kiosk", "/kiosk", asFull),
    shot("kiosk-lost", "/kiosk", isLost),
    shot("error", "", async () => {
      await page.route("**/board", (route) =>
        route.fulfill({ status: 503, json: { error: "the service cannot reach its database" } }),
      )
      await page.reload()
      await page.getByRole("alert").waitFor()
    }),
    shot("search", "", async () => {
      await back()
      await page.locator(".search-toggle").waitFor({ state: "attached" })
      await page.keyboard.press("/")
      await page.locator("[role=combobox]:focus").waitFor()
      await page.keyboard.type("1187")
      await page.getByRole("option").first().waitFor()
    }),
  ]
}
