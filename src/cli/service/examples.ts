/** `curbline examples`: requests of the demo to paste into a shell. */

import { resolve } from "node:path"
import { readDemo } from "../../live/demo/demo-file.ts"
import { SETTINGS } from "../../live/configuration/configuration.ts"
import { CLOSED_SITES } from "../../live/demo/demo-deliveries.ts"
import { LOCAL_OPEN_LINK, OPEN_LINK } from "../../live/demo/demo.ts"
import type { DemoAccess, DemoConnector } from "../../live/demo/demo.ts"
import { databasePlace } from "../kit/database-place.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { UsageError } from "../kit/usage-error.ts"
import { out } from "../kit/terminal.ts"

export interface ExamplesFlags {
  /** Default: from the settings. */
  readonly data?: string
  readonly allowLocalTargets?: boolean
}

/** Reads `demo.json` alone; the service of the folder may run or not. */
export async function examplesCommand({
  data,
  allowLocalTargets = false,
}: ExamplesFlags): Promise<ExitStatus> {
  const { dataDir } = databasePlace(data)
  const file = resolve(dataDir, "demo.json")
  const demo = await onLocalFiles(readDemo(dataDir))
  if (demo === null) {
    throw new UsageError(
      `${file} is missing or damaged; \`curbline serve\` makes it with demo data, and --data names another folder`,
    )
  }
  const { production, sandbox, courier } = demo
  const openLink = allowLocalTargets ? LOCAL_OPEN_LINK : OPEN_LINK
  out(
    [
      ...sandboxExamples({ access: sandbox, file, openLink }),
      ...deliveryExamples(file, production.base_url),
      ...(courier === undefined ? [] : connectorExamples(courier, dataDir)),
    ].join("\n"),
  )
  return EXIT.passed
}

interface Sandbox {
  readonly access: DemoAccess
  /** The file with the keys. */
  readonly file: string
  readonly openLink: string
}

function sandboxExamples({ access, file, openLink }: Sandbox): readonly string[] {
  const { base_url: sandbox, zone_id, retailer_id, site_id } = access
  const fieldOf = (field: string): string =>
    `$(node -p ${quoted(`require(${JSON.stringify(file)}).sandbox.${field}`)})`
  const key = `-H "Authorization: Bearer ${fieldOf("api_key")}"`
  const booking =
    `JSON.stringify({zone_id:"${zone_id}",retailer_id:"${retailer_id}",order_number:"1001",end_user_name:"Ada",` +
    `end_user_phone:"+15125550100",open_link_url:"${openLink}",` +
    `arrival_window_start:new Date(Date.now()+18e5),arrival_window_end:new Date(Date.now()+36e5)})`
  const operator = `-H "Authorization: Bearer ${fieldOf("operator_token")}"`
  return [
    `Keys and ids are in ${file}. The sites, zones and retailers that the sandbox's key may book:`,
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
    `node -p ${quoted(`require(${JSON.stringify(file)}).sandbox.operator_token`)}`,
  ]
}

/** Without this header curl sends the content type of a form. */
const JSON_TYPE = '-H "Content-Type: application/json"'

/** Both commands must be pasted into one shell: `$$` must be the same in both. */
function deliveryExamples(file: string, production: string): readonly string[] {
  const fieldOf = (field: string): string =>
    `$(node -p ${quoted(`require(${JSON.stringify(file)}).production.${field}`)})`
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
function connectorExamples(courier: DemoConnector, dataDir: string): readonly string[] {
  const folder = folderFlag(dataDir)
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

function folderFlag(dataDir: string): string {
  return dataDir === SETTINGS.dataDir.usually ? "" : ` --data ${quoted(dataDir)}`
}

/** The flags that `examples` needs for a service that was started with these. */
export function flagsFor(dataDir: string, allowsLocalTargets: boolean): string {
  return `${folderFlag(dataDir)}${allowsLocalTargets ? " --allow-local-targets" : ""}`
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
