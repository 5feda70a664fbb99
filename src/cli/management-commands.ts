/**
 * Words and flags of the management commands. Their code is loaded only when one of them is called: the rest of the
 * command line starts without a database.
 *
 * Longer than 400 lines, because eight nouns with their verbs and flags are one table.
 */

import type { Command } from "commander"
import { addCallCommands } from "../operations/cli/call-commands.ts"
import { cleared, textIn, verb } from "./command-verbs.ts"
import type { Act, Flags, Manage, Nouns, TaskOf } from "./command-verbs.ts"
import { addSites } from "../operations/cli/site-commands.ts"

/** Adds all management commands. */
export function addManagementCommands(curbline: Command, act: Act): void {
  const nouns = { act, curbline }
  addKeys(nouns)
  addOrganizations(nouns)
  addSites(nouns)
  addZones(nouns)
  addStalls(nouns)
  addRetailers(nouns)
  addGrants(nouns)
  addOperators(nouns)
  addAccess(nouns)
  addCallCommands(nouns)
}

function addKeys({ curbline, act }: Nouns): void {
  const keys = curbline.command("keys").description("API keys of an organization")
  verb(keys, act, {
    name: "create",
    description: "make a key and print its value, which cannot be shown again",
    taskOf: (flags, { given, pathOf, permissionsIn }) => ({
      type: "write",
      noun: "api_key",
      id: "key_id",
      did: "made the key",
      request: {
        method: "POST",
        path: pathOf("organizations", text(flags, "org"), "api-keys"),
        body: given({ permissions: permissionsIn(text(flags, "permissions")), expires_at: flags["expires"] }),
      },
    }),
  })
    .requiredOption("--org <id>", "the organization")
    .requiredOption("--permissions <list>", "such as reservations:read,retailers:read; or all")
    .option("--expires <instant>", "the instant from which it is invalid, in RFC 3339")
  verb(keys, act, {
    name: "list",
    description: "keys, oldest first, revoked ones included",
    taskOf: (flags, { organizationIds, pathOf }) => ({
      type: "list",
      noun: "api_keys",
      fields: ["key_id", "organization_id", "last_four", "permissions", "expires_at", "revoked_at"],
      requests: async (operations, environment) => {
        const { org } = flags
        const ids = typeof org === "string" ? [org] : await organizationIds(operations, environment)
        return ids.map((id) => ({ method: "GET", path: pathOf("organizations", id, "api-keys") }))
      },
    }),
  }).option("--org <id>", "of this organization only")
  verb(keys, act, {
    name: "revoke",
    description: "revoke a key; safe to repeat",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "write",
      noun: "api_key",
      id: "key_id",
      did: "revoked the key",
      looksEverywhere: true,
      request: { method: "DELETE", path: pathOf("api-keys", id) },
    }),
  }).argument("<key-id>", "as keys list shows it")
}

function addOrganizations({ curbline, act }: Nouns): void {
  const orgs = curbline.command("orgs").description("organizations, one registry for both environments")
  verb(orgs, act, {
    name: "create",
    description: "add an organization; by default a fleet partner in both environments",
    taskOf: (flags, manage) => ({
      type: "write",
      noun: "organization",
      id: "organization_id",
      did: "added the organization",
      isShared: true,
      request: {
        method: "POST",
        path: manage.pathOf("organizations"),
        body: organizationIn(flags, manage),
      },
    }),
  })
    .requiredOption("--name <name>", "for people")
    .option("--no-fleet-partner", "do not enrol it to reserve arrival windows")
    .option("--environments <list>", "where it is provisioned")
  verb(orgs, act, {
    name: "list",
    description: "every organization",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "organizations",
      fields: ["organization_id", "name", "is_active", "is_fleet_partner", "environments", "created_at"],
      isShared: true,
      requests: async () => [{ method: "GET", path: pathOf("organizations") }],
    }),
  })
  verb(orgs, act, {
    name: "change",
    description: "rename, deactivate, enrol or provision an organization",
    taskOf: (flags, manage, [id = ""]) => ({
      type: "write",
      noun: "organization",
      id: "organization_id",
      did: "changed the organization",
      isShared: true,
      request: {
        method: "PATCH",
        path: manage.pathOf("organizations", id),
        body: organizationIn(flags, manage),
      },
    }),
  })
    .argument("<org-id>", "as orgs list shows it")
    .option("--name <name>", "for people")
    .option("--active", "let it call again")
    .option("--no-active", "refuse it everywhere")
    .option("--fleet-partner", "enrol it")
    .option("--no-fleet-partner", "end its enrolment")
    .option("--environments <list>", "where it is provisioned; an empty text for nowhere")
}

function organizationIn(flags: Flags, { environmentsIn, given }: Manage): object {
  const { name, active, environments, fleetPartner } = flags
  return given({
    name,
    is_active: active,
    is_fleet_partner: fleetPartner,
    ...(typeof environments === "string" ? { environments: environmentsIn(environments) } : {}),
  })
}

interface CatalogNoun {
  /** As in `zones` and `--zone`. */
  readonly noun: "retailer" | "stall" | "zone"
  readonly fields: readonly string[]
  readonly parent?: "site" | "zone"
  readonly bodyOf: (flags: Flags, manage: Manage) => Readonly<Record<string, unknown>>
}

/** Create, list and change, which all three kinds have; each kind adds the options of create and change. */
function addCatalogNoun({ curbline, act }: Nouns, description: string, kind: CatalogNoun) {
  const { noun, fields, parent, bodyOf } = kind
  const command = curbline.command(`${noun}s`).description(description)
  const create = verb(command, act, {
    name: "create",
    description: `add a ${noun}; its id goes to stdout`,
    taskOf: (flags, manage) => ({
      type: "write",
      noun,
      id: `${noun}_id`,
      did: `added the ${noun}`,
      request: {
        method: "POST",
        path: manage.pathOf(`${noun}s`),
        body: manage.given({
          [`${noun}_id`]: flags["id"],
          ...(parent === undefined ? {} : { [`${parent}_id`]: flags[parent] }),
          ...bodyOf(flags, manage),
        }),
      },
    }),
  }).option("--id <id>", "an id of your own; without it, one is made")
  const list = verb(command, act, {
    name: "list",
    description: `every ${noun}`,
    taskOf: (flags, { pathOf }) => ({
      type: "list",
      noun: `${noun}s`,
      fields,
      requests: async () => {
        const wanted = parent === undefined ? undefined : flags[parent]
        const query = typeof wanted === "string" ? { [`${parent}_id`]: wanted } : {}
        return [{ method: "GET", path: pathOf(`${noun}s`), query }]
      },
    }),
  })
  const change = verb(command, act, {
    name: "change",
    description: `change a ${noun}; other fields stay`,
    taskOf: (flags, manage, [id = ""]) => ({
      type: "write",
      noun,
      id: `${noun}_id`,
      did: `changed the ${noun}`,
      request: {
        method: "PATCH",
        path: manage.pathOf(`${noun}s`, id),
        body: manage.given(bodyOf(flags, manage)),
      },
    }),
  }).argument(`<${noun}-id>`, `as ${noun}s list shows it`)
  if (parent !== undefined) {
    create.requiredOption(`--${parent} <id>`, `the ${parent} it belongs to`)
    list.option(`--${parent} <id>`, `of this ${parent} only`)
  }
  return { command, create, change }
}

function addZones(nouns: Nouns): void {
  const { act } = nouns
  const { command, create, change } = addCatalogNoun(
    nouns,
    "zones of a site, and the retailers they support",
    {
      noun: "zone",
      fields: ["zone_id", "site_id", "name", "latitude", "longitude", "has_runner"],
      parent: "site",
      bodyOf: ({ name, latitude, longitude, runner }, { numberIn }) => ({
        name,
        latitude: numberIn(textIn(latitude)),
        longitude: numberIn(textIn(longitude)),
        has_runner: runner,
      }),
    },
  )
  create.requiredOption("--name <name>", "for people").option("--no-runner", "bookings open no runner task")
  change
    .option("--name <name>", "for people")
    .option("--runner", "bookings open a runner task")
    .option("--no-runner", "bookings open no runner task")
  for (const one of [create, change])
    one.option("--latitude <degrees>", "WGS 84").option("--longitude <degrees>", "WGS 84")
  const offer = (method: "DELETE" | "PUT", did: string): TaskOf => {
    return (_, { pathOf }, [zone = "", retailer = ""]) => ({
      type: "write",
      noun: "offer",
      id: "retailer_id",
      did: `zone ${zone} ${did}`,
      request: { method, path: pathOf("zones", zone, "retailers", retailer) },
    })
  }
  verb(command, act, {
    name: "support",
    description: "let a zone support a retailer",
    taskOf: offer("PUT", "supports"),
  })
    .argument("<zone-id>")
    .argument("<retailer-id>")
  verb(command, act, {
    name: "unsupport",
    description: "withdraw the support; grants there stop until it returns",
    taskOf: offer("DELETE", "no longer supports"),
  })
    .argument("<zone-id>")
    .argument("<retailer-id>")
  verb(command, act, {
    name: "supported",
    description: "which retailers the zones support",
    taskOf: ({ zone }, { pathOf }) => ({
      type: "list",
      noun: "offers",
      fields: ["zone_id", "retailer_id"],
      requests: async () => [
        { method: "GET", path: pathOf("offers"), query: typeof zone === "string" ? { zone_id: zone } : {} },
      ],
    }),
  }).option("--zone <id>", "of this zone only")
}

function addStalls(nouns: Nouns): void {
  const { create, change } = addCatalogNoun(nouns, "stalls of a zone", {
    noun: "stall",
    fields: ["stall_id", "zone_id", "label", "is_active"],
    parent: "zone",
    bodyOf: ({ label, active }) => ({ label: cleared(label), is_active: active }),
  })
  create.option("--no-active", "no booking is given it")
  change.option("--active", "bookings may be given it").option("--no-active", "no booking is given it")
  for (const one of [create, change]) one.option("--label <label>", "for people; an empty text for none")
}

function addRetailers(nouns: Nouns): void {
  const { create, change } = addCatalogNoun(nouns, "retailers", {
    noun: "retailer",
    fields: ["retailer_id", "name", "support_phone", "logo_url", "pickup_requirements"],
    bodyOf: ({ name, logoUrl, supportPhone, pickupRequirements }) => ({
      name,
      logo_url: cleared(logoUrl),
      support_phone: cleared(supportPhone),
      pickup_requirements: cleared(pickupRequirements),
    }),
  })
  create.requiredOption("--name <name>", "for people")
  change.option("--name <name>", "for people")
  for (const one of [create, change]) {
    one
      .option("--logo-url <url>", "https; an empty text for none")
      .option("--support-phone <number>", "E.164; an empty text for none")
      .option("--pickup-requirements <text>", "what an integration must satisfy; an empty text for none")
  }
}

function addGrants({ curbline, act }: Nouns): void {
  const grants = curbline.command("grants").description("which retailers an organization may book where")
  const grant = (method: "DELETE" | "PUT", did: string): TaskOf => {
    return (flags, { pathOf }) => {
      const [org, zone, retailer] = [text(flags, "org"), text(flags, "zone"), text(flags, "retailer")]
      return {
        type: "write",
        noun: "grant",
        id: "retailer_id",
        did: `organization ${org} ${did} in zone ${zone} retailer`,
        request: { method, path: pathOf("organizations", org, "grants", zone, retailer) },
      }
    }
  }
  const both = [
    verb(grants, act, {
      name: "create",
      description: "let an organization book a retailer in a zone",
      taskOf: grant("PUT", "may book"),
    }),
    verb(grants, act, {
      name: "revoke",
      description: "withdraw the grant; existing bookings stay",
      taskOf: grant("DELETE", "may no longer book"),
    }),
  ]
  for (const one of both) {
    one
      .requiredOption("--org <id>", "the organization")
      .requiredOption("--zone <id>", "the zone")
      .requiredOption("--retailer <id>", "the retailer")
  }
  verb(grants, act, {
    name: "list",
    description: "every grant",
    taskOf: ({ org }, { pathOf }) => ({
      type: "list",
      noun: "grants",
      fields: ["organization_id", "zone_id", "retailer_id"],
      requests: async () => [
        {
          method: "GET",
          path: pathOf("grants"),
          query: typeof org === "string" ? { organization_id: org } : {},
        },
      ],
    }),
  }).option("--org <id>", "of this organization only")
}

function addOperators({ curbline, act }: Nouns): void {
  const operators = curbline.command("operators").description("operator tokens of the operations API")
  verb(operators, act, {
    name: "create",
    description: "make a token and print its value, which cannot be shown again",
    taskOf: ({ label }, { pathOf }) => ({
      type: "write",
      noun: "operator_token",
      id: "token_id",
      did: "made the operator token",
      request: { method: "POST", path: pathOf("operator-tokens"), body: { label } },
    }),
  }).requiredOption("--label <label>", "who or what holds it")
  verb(operators, act, {
    name: "list",
    description: "tokens, oldest first, revoked ones included",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "operator_tokens",
      fields: ["token_id", "label", "last_four", "created_at", "revoked_at"],
      requests: async () => [{ method: "GET", path: pathOf("operator-tokens") }],
    }),
  })
  verb(operators, act, {
    name: "revoke",
    description: "revoke a token; safe to repeat",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "write",
      noun: "operator_token",
      id: "token_id",
      did: "revoked the operator token",
      looksEverywhere: true,
      request: { method: "DELETE", path: pathOf("operator-tokens", id) },
    }),
  }).argument("<token-id>", "as operators list shows it")
}

/** Access requests exist only in production. */
function addAccess({ curbline, act }: Nouns): void {
  const access = curbline.command("access").description("requests of organizations for production access")
  verb(access, act, {
    name: "list",
    description: "requests without an answer, by due time",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "access_requests",
      fields: ["request_id", "organization_id", "requested_at", "due_at", "is_overdue"],
      isShared: true,
      requests: async () => [{ method: "GET", path: pathOf("access-requests") }],
    }),
  })
  const decision = (name: string, description: string, isApproved: boolean): void => {
    verb(access, act, {
      name,
      description,
      taskOf: ({ reason, by }, { given, pathOf }, [id = ""]) => ({
        type: "write",
        noun: "access_request",
        id: "request_id",
        did: isApproved ? "approved the request" : "declined the request",
        isShared: true,
        request: {
          method: "PUT",
          path: pathOf("access-requests", id, "decision"),
          body: given({ is_approved: isApproved, reason, decided_by: by }),
        },
      }),
    })
      .argument("<request-id>", "as access list shows it")
      .option("--reason <text>", "sent to the organization")
      .option("--by <name>", "who decides; stored, but not sent to the organization")
  }
  decision("approve", "provision the organization in production and notify its contact", true)
  decision("decline", "notify its contact; the organization may ask again", false)
}

function text(flags: Flags, name: string): string {
  return textIn(flags[name]) ?? ""
}
