/**
 * What anybody may read of the connector: its description as Markdown, and its entry for the MCP registry, which its operator
 * publishes. Source: registry schema 2025-12-11.
 */

import type { FastifyInstance } from "fastify"
import { DESCRIPTION_PATH, ISSUER_PATH } from "../../model/linking.ts"
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
    [DESCRIPTION_PATH]: new KeptBody("text/markdown; charset=utf-8", DESCRIPTION_TEXT),
    [REGISTRY_PATH]: new KeptBody(
      "application/json; charset=utf-8",
      JSON.stringify(registryEntry(baseUrl), null, 2),
    ),
  }
  for (const [path, text] of Object.entries(texts))
    app.get(path, (request, reply) => text.send(request, reply.header("Cache-Control", "no-cache")))
}

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
