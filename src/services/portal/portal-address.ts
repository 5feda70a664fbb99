/** Where the portal is reached: links in mails are made of it, and of nothing that a request says. */

import { Context } from "effect"

export class PortalAddress extends Context.Tag("PortalAddress")<
  PortalAddress,
  {
    /** Scheme and host, without a path. */
    readonly baseUrl: string
  }
>() {}

/** A page of the portal. Tokens stand behind `#`, which browsers send to nobody. */
export function pageOf({ baseUrl }: PortalAddress["Type"], page: string, token?: string): string {
  return `${baseUrl}/portal/${page}${token === undefined ? "" : `#token=${token}`}`
}
