/** The connector's address, and the URLs derived from it. Source: courier connector contract, sections 4 and 5. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import { ISSUER_PATH } from "../../model/linking.ts"

export class ConnectorAddress extends Context.Tag("ConnectorAddress")<
  ConnectorAddress,
  {
    /** Scheme and host of the connector, without a path. */
    readonly baseUrl: string
    /** The host's. */
    readonly environment: Environment
  }
>() {}

/** Issuer, resource, and the base of every connector path. */
export function issuerOf({ baseUrl }: Pick<ConnectorAddress["Type"], "baseUrl">): string {
  return `${baseUrl}${ISSUER_PATH}`
}

/** The page at which authorizations of terminals end. Every client may register it, whatever operators allow. */
export function terminalPageOf(address: ConnectorAddress["Type"]): string {
  return `${issuerOf(address)}${TERMINAL_PATH}`
}

/** True for such a page of another host, where a code of this one has nothing to do. */
export function isForeignTerminalPage(url: string, address: ConnectorAddress["Type"]): boolean {
  return URL.parse(url)?.pathname === `${ISSUER_PATH}${TERMINAL_PATH}` && url !== terminalPageOf(address)
}

/** Below the issuer. */
export const TERMINAL_PATH = "/oauth/terminal"

/** RFC 9728 §3.1: the well-known part comes before the resource's path. */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${ISSUER_PATH}`

/** RFC 8414 §3.1. */
export const SERVER_METADATA_PATH = `/.well-known/oauth-authorization-server${ISSUER_PATH}`
