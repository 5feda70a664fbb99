/**
 * Which codes a demo shows on the pages that ask for them: those of mails and texts that nothing sends, on the machine of a
 * trial. In production, over an external database, behind a proxy and with a provider there are none.
 */

import type { Configuration } from "../configuration/configuration.ts"
import { isTrial, verificationOf } from "./verification.ts"

export interface ShownCodes {
  readonly mails: boolean
  readonly texts: boolean
}

/** `isLocal`: only callers of this machine reach the host. */
export function shownCodes(
  configuration: Configuration,
  { hasDemo, isLocal }: { readonly hasDemo: boolean; readonly isLocal: boolean },
): ShownCodes {
  const mayShow = hasDemo && isLocal && isTrial(configuration)
  return {
    mails: mayShow && configuration.smtpUrl === null,
    texts: mayShow && verificationOf(configuration) === "built-in",
  }
}
