/** The settings of operations in their states, for pictures: full, empty, with errors at fields, with dialogs, failed. */

import type { Page } from "playwright-core"
import type { ServiceProcess } from "../serve/service-process.ts"
import { beginLinking } from "./demo-errand.ts"
import type { Shot } from "./portal-states.ts"
import { SOUP, STORES_HEADER, operate } from "./settings-walks.ts"

interface Seeded {
  readonly siteId: string
  readonly organizationId: string
  readonly errandId: string
}

/** Sites that overlap, retailers, a key with a label, numbers, and one errand. */
async function seed(service: ServiceProcess): Promise<Seeded> {
  const { site_id: siteId } = service.access.production
  const { site } = (await operate(service, "GET", `/sites/${siteId}`)) as {
    site: { organization_id: string; latitude: number; longitude: number }
  }
  const { organization_id: organizationId, latitude, longitude } = site
  await operate(service, "PATCH", `/sites/${siteId}`, { reach_km: 4 })
  const near = { timezone: "America/Chicago", reach_km: 3, stalls: ["S1", "S2"] }
  const south = { name: "Domain South", latitude: latitude - 0.03, longitude: longitude + 0.03 }
  const mueller = { name: "Mueller", latitude: latitude + 0.05, longitude: longitude - 0.02 }
  const owner = { organization_id: organizationId, delivery_price_cents: 650 }
  await operate(service, "POST", "/delivery-sites", { ...near, ...south, ...owner })
  await operate(service, "POST", "/sites", { ...near, ...mueller })
  for (const name of ["Bread & Butter", "Noodles"]) {
    const more = { support_phone: "+15125550111", pickup_requirements: "Order numbers look like A-1001." }
    await operate(service, "POST", "/retailers", { name, ...more })
  }
  const key = { permissions: ["deliveries:read", "deliveries:write"], label: "Orders service" }
  await operate(service, "POST", `/organizations/${organizationId}/api-keys`, key)
  await operate(service, "POST", "/organizations", { name: "North Loop Foods" })
  await operate(service, "POST", "/connector/phones/enable", { phone: "+15125550177" })
  const linking = await beginLinking(service)
  const asked = { phone: linking.phone }
  const { sms_code: sms } = (await operate(service, "POST", "/connector/phones/code", asked)) as {
    sms_code: { code: string }
  }
  return { siteId, organizationId, errandId: await linking.finish(sms.code) }
}

/** Of a page that is signed in to `/ops` of production. */
export async function settingsShots(page: Page, service: ServiceProcess): Promise<readonly Shot[]> {
  const { siteId, organizationId, errandId } = await seed(service)
  const base = `${service.urls.production}/ops`
  const press = (name: string) => page.getByRole("button", { name }).click()
  const shot = (name: string, path: string, act?: () => Promise<unknown>): Shot => ({
    name: `settings-${name}`,
    url: `${base}${path}`,
    act: async () => {
      await page.unrouteAll({ behavior: "ignoreErrors" })
      await act?.()
    },
  })
  const checked = async (...lines: readonly string[]): Promise<void> => {
    await page.getByRole("textbox", { name: "The file" }).fill([STORES_HEADER, ...lines].join("\n"))
    await press("Check the file")
    await page.getByText(/^(Nothing was imported|The file has no error)/).waitFor()
  }
  return [
    shot("sites", "/settings"),
    shot("site", `/settings/sites/${siteId}`),
    shot("site-close", `/settings/sites/${siteId}`, () => press("Close the site…")),
    shot("new-site", "/settings/sites/new", async () => {
      await page.getByText("Deliveries start here, too").click()
      await press("Make the site")
      await page.getByText("Nothing was saved.").waitFor()
    }),
    shot("retailers", "/settings/retailers"),
    shot("retailer", "/settings/retailers", () => press("New retailer")),
    shot("windows", "/settings/windows"),
    shot("organizations", "/settings/organizations"),
    shot("organization", `/settings/organizations/${organizationId}`),
    shot("deactivate", `/settings/organizations/${organizationId}`, () => press("Deactivate…")),
    shot("key", `/settings/organizations/${organizationId}`, async () => {
      await press("New key")
      await page.getByLabel("Read reservations").check()
      await press("Make the key")
      await page.getByText("Copy the key now").waitFor()
    }),
    shot("charges-empty", "/settings/charges"),
    shot("connector", "/settings/connector"),
    shot("pause", "/settings/connector", () => press("Pause…")),
    shot("stores", "/settings/stores"),
    shot("store", "/settings/stores", () => page.locator("tbody .link-button").first().click()),
    shot("import-errors", "/settings/stores/import", () =>
      checked(SOUP, SOUP.replace("store_soup", "soup").replace("78758", "787")),
    ),
    shot("import-check", "/settings/stores/import", () => checked(SOUP)),
    shot("phones", "/settings/phones"),
    shot("tokens", "/settings/tokens"),
    shot("token", "/settings/tokens", async () => {
      await press("New token")
      await page.getByRole("combobox", { name: "Sites" }).selectOption("some")
    }),
    shot("messages", "/settings/messages"),
    shot("calls", "/settings/calls"),
    shot("errand", `/errands/${errandId}`, () => press("Show the handover")),
    shot("errand-failed", `/errands/${errandId}`, () => press("It failed…")),
    shot("error", "/settings/retailers", async () => {
      await page.route("**/retailers?**", (route) =>
        route.fulfill({ status: 503, json: { error: "the service cannot reach its database" } }),
      )
      await page.reload()
      await page.getByRole("alert").waitFor()
    }),
    shot("menu", "/settings/retailers", () =>
      page.evaluate(`document.querySelector(".settings-menu").open = true`),
    ),
  ]
}
