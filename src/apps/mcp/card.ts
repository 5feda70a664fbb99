/**
 * The card that hosts with MCP Apps show beside an answer: one HTML document for all states of a delivery. Source: MCP extension
 * io.modelcontextprotocol/ui (SEP-1865), UI Resource Format, Resource Discovery.
 */

import { isObject } from "./replied.ts"
import { CARD_URI } from "../../model/requests/courier-card.ts"

/** The `_meta` of each tool. Hosts without cards ignore it. */
export const SHOWN_BY_CARD = { ui: { resourceUri: CARD_URI } } as const

/** It has its own border, and needs no host: the policy that the extension prescribes without domains is enough. */
const UI = { csp: {}, prefersBorder: false } as const

export const CARD_RESOURCE = {
  uri: CARD_URI,
  name: "delivery card",
  title: "Delivery card",
  mimeType: "text/html;profile=mcp-app",
} as const

const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

/**
 * False for a client that says what it can do and does not say that it shows cards. Only revision 2026-07-28 says it with each call;
 * older clients said it in a handshake, which is not remembered.
 */
export function mayShowCards({ _meta: meta }: Readonly<Record<string, unknown>>): boolean {
  const capabilities = isObject(meta) ? meta[CAPABILITIES_KEY] : undefined
  if (!isObject(capabilities)) return true
  const { extensions } = capabilities
  return isObject(extensions) && Object.hasOwn(extensions, "io.modelcontextprotocol/ui")
}

export function cardContents(html: string) {
  const { uri, mimeType } = CARD_RESOURCE
  return { contents: [{ uri, mimeType, text: html, _meta: { ui: UI } }] }
}
