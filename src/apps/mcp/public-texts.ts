/**
 * What anybody may read of the connector: its description, terms and privacy as Markdown, and its entry for the MCP registry, which
 * its operator publishes. Source: registry schema 2025-12-11.
 */

import type { FastifyInstance } from "fastify"
import { CONSENT, TERMS } from "../../areas/courier/terms.ts"
import { DESCRIPTION_PATH, ISSUER_PATH, PRIVACY_PATH, SERVICE_NAME, TERMS_PATH } from "../../model/linking.ts"
import {
  KEEP_CODES_MS,
  KEEP_FIXES_MS,
  KEEP_MESSAGES_MS,
  KEEP_PERSONAL_DATA_MS,
} from "../../model/values/limits.ts"
import { DAY_MS } from "../../model/values/time.ts"
import { KeptBody } from "../../http/bodies/kept-body.ts"
import { shownInfo } from "./connector.ts"
import { DESCRIPTION_TEXT } from "./description.ts"
import { MCP_PATH } from "./plugin.ts"

const REGISTRY_PATH = `${ISSUER_PATH}/server.json`

export async function publicTextsPlugin(
  app: FastifyInstance,
  { baseUrl }: { readonly baseUrl: string },
): Promise<void> {
  const texts = {
    [DESCRIPTION_PATH]: markdown(DESCRIPTION_TEXT),
    [TERMS_PATH]: markdown(TERMS_TEXT),
    [PRIVACY_PATH]: markdown(PRIVACY_TEXT),
    [REGISTRY_PATH]: new KeptBody(
      "application/json; charset=utf-8",
      JSON.stringify(registryEntry(baseUrl), null, 2),
    ),
  }
  for (const [path, text] of Object.entries(texts))
    app.get(path, (request, reply) => text.send(request, reply.header("Cache-Control", "no-cache")))
}

function markdown(text: string): KeptBody {
  return new KeptBody("text/markdown; charset=utf-8", text)
}

const TERMS_TEXT = `# ${SERVICE_NAME}: terms of a delivery

Version ${TERMS.version}. An agent shows them before it reserves, and the user accepts them there.

${TERMS.text}

## Text messages

Version ${CONSENT.version}, agreed to separately.

${CONSENT.text}
`

const days = (ms: number): string => `${ms / DAY_MS} ${ms === DAY_MS ? "day" : "days"}`

const PRIVACY_TEXT = `# ${SERVICE_NAME}: what is kept of users

A linked phone is known by its number. An agent sends a name, the address, the store order's number and items, and may send an e-mail address
and notes. They serve the delivery: the store hands the order over, the vehicle drives to the address, and text messages tell of it.

| What                                                                      | Kept                                                   |
| ------------------------------------------------------------------------- | ------------------------------------------------------ |
| names, phone numbers, addresses, notes and e-mail addresses of a delivery | ${days(KEEP_PERSONAL_DATA_MS)} after it has ended, then replaced            |
| text messages                                                             | ${days(KEEP_MESSAGES_MS)}                                                |
| positions of the vehicle                                                  | ${days(KEEP_FIXES_MS)}                                                |
| codes sent by text message                                                | ${days(KEEP_CODES_MS)}                                                  |
| a STOP                                                                    | until START, and without the number: as a keyed digest |
| the number of a linked phone                                              | while the operator has it enabled, and ${days(KEEP_PERSONAL_DATA_MS)} after |

What stays of a delivery afterwards are ids, states, times and amounts. Card numbers are with the payment processor alone. The agent sees what
its own calls sent, and the state of the user's deliveries; it loses that when the link is revoked.
`

/** The name begins with the host's name, reversed: the registry lets only the owner of the domain publish it. */
function registryEntry(baseUrl: string): object {
  const { name, ...info } = shownInfo(baseUrl)
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `${new URL(baseUrl).hostname.split(".").toReversed().join(".")}/${name}`,
    ...info,
    description: "Brings food orders from a store's curb to the door in Austin, Texas, by vehicle.",
    remotes: [{ type: "streamable-http", url: `${baseUrl}${MCP_PATH}` }],
  }
}
