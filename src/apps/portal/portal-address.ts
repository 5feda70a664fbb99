/** Where the portal's pages are, for links in mails. A token stands in the fragment, which browsers send to no server. */

import { Context } from "effect"

/** A service on this machine with its default port. */
export const LOCAL_URL = "http://localhost:4010"

export class PortalAddress extends Context.Reference<PortalAddress>()("PortalAddress", {
  /** The production host's URL without a path. */
  defaultValue: () => ({ baseUrl: LOCAL_URL }),
}) {}

export type PortalLink = "invitation" | "new-password" | "sign-in"

export function linkTo(
  { baseUrl }: { readonly baseUrl: string },
  page: PortalLink,
  token: string | null = null,
): string {
  return `${baseUrl}/portal/${page}${token === null ? "" : `#token=${token}`}`
}
