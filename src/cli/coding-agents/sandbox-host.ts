/** The sandbox of a host, called under a partner's key. */

import type { ApiCall, AskApi } from "../../apps/developers/sandbox-tools.ts"
import { ToolFailed } from "../../apps/developers/tool.ts"
import { UsageError } from "../kit/usage-error.ts"
import { HostAway, HostRefused, partnerHost, refusalText } from "../partners/partner-host.ts"
import type { PartnerFlags, PartnerHost } from "../partners/partner-host.ts"

/** Calls the host of the flags. */
export function askHostOf(flags: PartnerFlags): AskApi {
  return async (call: ApiCall) => {
    const host = await hostOf(flags)
    try {
      return await host.ask(call)
    } catch (cause) {
      if (cause instanceof HostRefused) throw new ToolFailed(whatWasRefused(host, cause))
      throw cause instanceof HostAway ? new ToolFailed(cause.message) : cause
    }
  }
}

/** Anew for each call: the agent may start the sandbox, or make its demo data, in between. */
async function hostOf(flags: PartnerFlags): Promise<PartnerHost> {
  try {
    return await partnerHost(flags, { isSandbox: true })
  } catch (cause) {
    throw cause instanceof UsageError ? new ToolFailed(cause.message) : cause
  }
}

function whatWasRefused(host: PartnerHost, refused: HostRefused): string {
  return refused.code === null || refused.code === "NOT_FOUND"
    ? refusalText(host, refused)
    : `${refused.code}: ${refusalText(host, refused)}`
}
