/** The text that `curbline serve` prints when it is ready: its addresses, and commands to paste. */

import { resolve } from "node:path"
import { SETTINGS, fleetSpeedOf } from "../live/configuration.ts"
import type { Configuration } from "../live/configuration.ts"
import { CLOSED_SITES } from "../live/demo-deliveries.ts"
import { LOCAL_OPEN_LINK, OPEN_LINK } from "../live/demo.ts"
import type { DemoAccess, DemoConnector } from "../live/demo.ts"
import type { RunningService } from "../main.ts"

/** The last line begins with "The API's document", so that programs can recognize when the service is ready. */
export function greetingOf(
  { baseUrls, localUrls, demo: access }: Pick<RunningService, "baseUrls" | "demo" | "localUrls">,
  configuration: Configuration,
): string {
  const demo = resolve(configuration.dataDir, "demo.json")
  const openLink = configuration.allowsLocalTargets ? LOCAL_OPEN_LINK : OPEN_LINK
  const { production, sandbox } = localUrls
  return [
    `production ${baseUrls.production}`,
    `sandbox    ${baseUrls.sandbox}`,
    ...(access === null
      ? []
      : ["", `Open ${sandbox}/ in a browser: buttons there book a reservation and order a delivery.`]),
    ...(access === null ? [] : tries({ access: access.sandbox, demo, sandbox, openLink })),
    ...(access !== null && fleetSpeedOf(configuration) !== null ? delivery({ demo, production }) : []),
    ...(access === null ? [] : connector(access.courier, configuration.dataDir)),
    "",
    `The API's document: ${sandbox}/openapi/rs.json, as pages: ${sandbox}/docs`,
  ].join("\n")
}

interface Surroundings {
  readonly access: DemoAccess
  /** The file with the keys. */
  readonly demo: string
  readonly sandbox: string
  readonly openLink: string
}

function tries({ access, demo, sandbox, openLink }: Surroundings): readonly string[] {
  const { zone_id, retailer_id, site_id } = access
  const fieldOf = (field: string): string =>
    `$(node -p ${quoted(`require(${JSON.stringify(demo)}).sandbox.${field}`)})`
  const key = `-H "Authorization: Bearer ${fieldOf("api_key")}"`
  const booking =
    `JSON.stringify({zone_id:"${zone_id}",retailer_id:"${retailer_id}",order_number:"1001",end_user_name:"Ada",` +
    `end_user_phone:"+15125550100",open_link_url:"${openLink}",` +
    `arrival_window_start:new Date(Date.now()+18e5),arrival_window_end:new Date(Date.now()+36e5)})`
  const operator = `-H "Authorization: Bearer ${fieldOf("operator_token")}"`
  return [
    "",
    `Keys and ids are in ${demo}. The sites, zones and retailers that the sandbox's key may book:`,
    "",
    `curl -s ${sandbox}/rs/v1/retailers ${key}`,
    "",
    openLink === OPEN_LINK
      ? "Book a reservation in half an hour, and list reservations (the host of its open link is looked up; on a " +
        "machine without a name server, start with --allow-local-targets):"
      : "Book a reservation in half an hour, and list reservations:",
    "",
    `curl -s ${sandbox}/rs/v1/reservations ${key} ${JSON_TYPE} -d "$(node -p ${quoted(booking)})"`,
    "",
    `curl -s ${sandbox}/rs/v1/reservations ${key}`,
    "",
    `Deliveries of the sandbox start at site ${site_id}. Two other sites show errors: ` +
      `${CLOSED_SITES.inactive} is inactive, and ${CLOSED_SITES.unconfigured} has no area and no price.`,
    "",
    "The site's open tasks, as a runner sees them:",
    "",
    `curl -s ${sandbox}/internal/v1/sites/${site_id}/tasks ${operator}`,
    "",
    "Whether the service is ready:",
    "",
    `curl -s ${sandbox}/readyz`,
    "",
    "The inspector shows what every actor does, and why; sign in with the token that the command prints:",
    "",
    `${sandbox}/inspect`,
    "",
    `node -p ${quoted(`require(${JSON.stringify(demo)}).sandbox.operator_token`)}`,
  ]
}

/** Without this header curl sends the content type of a form. */
const JSON_TYPE = '-H "Content-Type: application/json"'

/** Both commands must be pasted into one shell: `$$` must be the same in both. */
function delivery({ demo, production }: Record<"demo" | "production", string>): readonly string[] {
  const fieldOf = (field: string): string =>
    `$(node -p ${quoted(`require(${JSON.stringify(demo)}).production.${field}`)})`
  const head = `-H "Authorization: Bearer ${fieldOf("api_key")}" -H "x-retailer-id: ${fieldOf("site_id")}"`
  const id = '\\"external_delivery_id\\":\\"order-$$\\"'
  const wanted = `{${id},${inShell({
    customer: { phone: "+15125550100" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    order_items: [{ name: "Milk", quantity: 1 }],
  })},\\"ready_by\\":\\"$(node -p "new Date(Date.now()+3e5).toISOString()")\\"}`
  return [
    "",
    "Book a delivery with a synthetic vehicle, and show where it is; repeat the second command to see it move:",
    "",
    `curl -s -o /dev/null ${production}/dd/v1/deliveries/quote ${head} ${JSON_TYPE} -d "${wanted}" && ` +
      `curl -s ${production}/dd/v1/deliveries ${head} ${JSON_TYPE} -d "{${id}}"`,
    "",
    `curl -s ${production}/dd/v1/deliveries/order-$$ ${head}`,
  ]
}

/** The addresses for an agent, and the commands for the person who plays its user. */
function connector(courier: DemoConnector, dataDir: string): readonly string[] {
  const folder = dataDir === SETTINGS.dataDir.usually ? "" : ` --data ${quoted(dataDir)}`
  return [
    "",
    "Agents book couriers at this MCP address, and link a user by OAuth 2.1:",
    "",
    courier.mcp_url,
    "",
    `On the linking page, enter the number ${courier.phone}. The first command then prints its code, the second the stores:`,
    "",
    `npx curbline phones code ${courier.phone}${folder}`,
    "",
    `npx curbline stores list${folder}`,
  ]
}

/** The fields of an object as JSON inside double quotes of a shell. */
function inShell(fields: object): string {
  return JSON.stringify(fields)
    .slice(1, -1)
    .replaceAll('"', String.raw`\"`)
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
