/** The board of a site over a service that a test has started, and what a test does beside the page. */

import type { Browser, Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { booking, call } from "../serve/service-process.ts"
import type { Answer, ServiceProcess } from "../serve/service-process.ts"
import { openPage } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"

export interface BoardService {
  /** Signed in with the demo's operator token; `path` follows the site's. */
  readonly openBoard: (path?: string) => Promise<OpenedPage>
  /** Gives the id of a reservation that begins in half an hour. */
  readonly booked: (order: string) => Promise<string>
  /** Quoted and created at the demo's site; gives the delivery's id. */
  readonly delivered: (number: string) => Promise<string>
  readonly report: (reservationId: string, status: string) => Promise<Answer>
  /** A call of the operations API. */
  readonly operate: (method: string, path: string, body?: object) => Promise<Answer>
}

export function boardOver(browser: () => Browser, service: () => ServiceProcess): BoardService {
  const access = () => service().access.production
  const operate: BoardService["operate"] = (method, path, body) =>
    call({ ...access(), api_key: access().operator_token }, method, `/internal/v1${path}`, body)
  return {
    operate,
    openBoard: async (path = "") => {
      const origin = service().urls.production
      const opened = await openPage(browser(), origin, { viewport: { width: 1440, height: 900 } })
      await opened.page.goto(`${origin}/ops/sites/${access().site_id}${path}`)
      await opened.page.getByRole("button", { name: "Use an operator token" }).click()
      await opened.page.getByLabel("Operator token").fill(access().operator_token)
      await opened.page.getByRole("button", { name: "Sign in" }).click()
      return opened
    },
    booked: async (order) => {
      const asked = booking(access(), "http://127.0.0.1:9/open", order)
      const { body } = await call(access(), "POST", "/rs/v1/reservations", asked)
      return body.data.reservation.reservation_id
    },
    delivered: async (number) => {
      const site = { "x-retailer-id": access().site_id }
      const asked = {
        external_delivery_id: number,
        customer: { phone: "+15125550123", first_name: "Dana", last_name: "R." },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: { latitude: 30.41, longitude: -97.72 },
        ready_by: new Date(Date.now() + 600_000).toISOString(),
        order_items: [{ name: "Milk", quantity: 2 }],
      }
      await call(access(), "POST", "/dd/v1/deliveries/quote", asked, site)
      const made = await call(access(), "POST", "/dd/v1/deliveries", { external_delivery_id: number }, site)
      expect(made.status).toBe(201)
      const { body } = await operate("GET", `/deliveries?q=${number}`)
      const [found] = body.data["deliveries"] as readonly { readonly delivery_id: string }[]
      return found?.delivery_id ?? ""
    },
    report: (id, status) =>
      call(access(), "POST", `/rs/v1/reservations/${id}/bot`, { status, label: "Bolt 7" }),
  }
}

/** One of the board's columns, by the beginning of its name. */
export function column(page: Page, name: string): Locator {
  return page.getByRole("region", { name: new RegExp(`^${name}`) })
}
