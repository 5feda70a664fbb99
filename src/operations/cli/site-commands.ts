/**
 * `curbline sites` and `curbline delivery-sites`: one table of sites. The second noun shows only delivery sites, which
 * have an organization, and requires the fields of a delivery site at creation.
 */

import type { Command } from "commander"
import { cleared, textIn, verb } from "../../cli/command-verbs.ts"
import type { Flags, Manage, Nouns } from "../../cli/command-verbs.ts"
import { UsageError } from "../../cli/scenario-files.ts"

interface SiteNoun {
  /** The word on the command line and in the path. */
  readonly word: "delivery-sites" | "sites"
  /** The field of the answer with a site. */
  readonly noun: "delivery_site" | "site"
  readonly description: string
  readonly fields: readonly string[]
}

export function addSites(nouns: Nouns): void {
  addSiteNoun(nouns, {
    word: "sites",
    noun: "site",
    description: "sites: reservations use their stalls, and deliveries of their organization start there",
    fields: ["site_id", "name", "timezone", "organization_id", "is_configured"],
  })
  const create = addSiteNoun(nouns, {
    word: "delivery-sites",
    noun: "delivery_site",
    description: "sites from which deliveries start",
    fields: [
      "site_id",
      "organization_id",
      "name",
      "is_active",
      "is_configured",
      "timezone",
      "delivery_price_cents",
      "ready_ahead_minutes",
    ],
  })
  for (const option of create.options) {
    if (["--org", "--timezone"].includes(option.long ?? "")) option.makeOptionMandatory()
  }
}

/** Returns the command that creates a site. */
function addSiteNoun({ curbline, act }: Nouns, { word, noun, description, fields }: SiteNoun): Command {
  const command = curbline.command(word).description(description)
  const named = noun.replace("_", " ")
  const create = verb(command, act, {
    name: "create",
    description: `add a ${named}; its id goes to stdout`,
    taskOf: (flags, manage) => ({
      type: "write",
      noun,
      id: "site_id",
      did: `added the ${named}`,
      request: {
        method: "POST",
        path: manage.pathOf(word),
        body: manage.given({
          site_id: flags["id"],
          stalls: labelsIn(textIn(flags["stalls"])),
          ...fieldsIn(flags, manage),
        }),
      },
    }),
  })
    .requiredOption("--name <name>", "for people")
    .option("--id <uuid>", "an id of your own, a version 4 UUID; without it, one is made")
    .option(
      "--stalls <labels>",
      "separated by commas, such as A1,A2; they are made in a zone with the site's name",
    )
  withFields(create)
  verb(command, act, {
    name: "list",
    description: noun === "site" ? "every site" : "every one, of every organization",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: `${noun}s`,
      fields,
      requests: async () => [{ method: "GET", path: pathOf(word) }],
    }),
  })
  const change = verb(command, act, {
    name: "change",
    description: `change a ${named}; other fields stay, and a live quote keeps its terms`,
    taskOf: (flags, manage, [id = ""]) => ({
      type: "write",
      noun,
      id: "site_id",
      did: `changed the ${named}`,
      looksEverywhere: true,
      request: {
        method: "PATCH",
        path: manage.pathOf(word, id),
        body: manage.given({ is_active: flags["active"], ...fieldsIn(flags, manage) }),
      },
    }),
  })
    .argument("<site-id>", `as ${word} list shows it`)
    .option("--name <name>", "for people")
    .option("--active", "deliveries may start here")
    .option("--no-active", "no delivery starts here")
  withFields(change)
  return create
}

function withFields(command: Command): void {
  command
    .option("--org <id>", "whose deliveries start here; it cannot be changed later")
    .option("--timezone <name>", "of the IANA database, such as America/Chicago; an empty text for none")
    .option(
      "--street <line>",
      "of the address, which is looked up on the map; with --city, --state and --zip",
    )
    .option("--city <name>", "of the address")
    .option("--state <name>", "of the address, such as TX")
    .option("--zip <code>", "of the address")
    .option("--latitude <degrees>", "of the place, WGS 84; with --longitude, instead of an address")
    .option("--longitude <degrees>", "of the place")
    .option("--area <file>", "the served GeoJSON polygon; an empty text for none")
    .option("--reach-km <km>", "instead of --area: a square that reaches this far from the place")
    .option("--price <cents>", "of one delivery; an empty text for none")
    .option("--fleet <id>", "whose vehicles come here; without it, the site has a fleet of its own")
    .option("--supervisor", "people at the site may move a delivery's status")
    .option("--no-supervisor", "they may not")
    .option("--ready-ahead <minutes>", "how far ahead of now an order may be ready")
}

function fieldsIn(flags: Flags, { areaIn, numberIn }: Manage): Readonly<Record<string, unknown>> {
  return {
    name: flags["name"],
    organization_id: flags["org"],
    timezone: cleared(flags["timezone"]),
    address: addressIn(flags),
    latitude: numberIn(textIn(flags["latitude"])),
    longitude: numberIn(textIn(flags["longitude"])),
    area: areaIn(textIn(flags["area"])),
    reach_km: numberIn(textIn(flags["reachKm"])),
    delivery_price_cents: flags["price"] === "" ? null : numberIn(textIn(flags["price"])),
    fleet_id: flags["fleet"],
    has_supervisor: flags["supervisor"],
    ready_ahead_minutes: numberIn(textIn(flags["readyAhead"])),
  }
}

function addressIn(flags: Flags): object | undefined {
  const parts = ["street", "city", "state", "zip"] as const
  const missing = parts.filter((part) => flags[part] === undefined)
  if (missing.length === parts.length) return undefined
  if (missing.length === 0) return Object.fromEntries(parts.map((part) => [part, flags[part]]))
  throw new UsageError(`an address also needs ${missing.map((part) => `--${part}`).join(", ")}`)
}

function labelsIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((label) => label.trim())
}
