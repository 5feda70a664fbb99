/** `curbline logs`: the organization's calls from the request log of a host, and on request those that follow. */

import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { HostAway, HostRefused, nextFrom, partnerHost, refusalText } from "./partner-host.ts"
import type { PartnerFlags, PartnerHost } from "./partner-host.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, out } from "../kit/terminal.ts"

export interface LogsFlags extends PartnerFlags {
  readonly follow?: boolean
  readonly status?: string
  readonly path?: string
  readonly limit?: string
  readonly json?: boolean
}

interface LoggedCall {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: string | null
  readonly duration_ms: number
  readonly request_id: string
  readonly key: { readonly last_four: string }
}

interface Page {
  readonly requests: readonly LoggedCall[]
  readonly after: string
}

/** Oldest first, one line for each. With `--follow` it runs until Ctrl-C. */
export async function logsCommand(flags: LogsFlags): Promise<ExitStatus> {
  const host = await partnerHost(flags, { isSandbox: false })
  const { limit = "20", status, path, follow = false } = flags
  const filters = new URLSearchParams({
    ...(status === undefined ? {} : { status }),
    ...(path === undefined ? {} : { path }),
  })
  try {
    const first = (await host.ask({ path: pathOf(filters, { limit }) })) as Page
    for (const call of first.requests.toReversed()) print(call, flags)
    if (!follow) return EXIT.passed
    return await followFrom(host, { filters, flags, from: first.after })
  } catch (cause) {
    if (cause instanceof HostRefused && cause.code === "VALIDATION_ERROR") throw new UsageError(cause.message)
    if (!(cause instanceof HostRefused || cause instanceof HostAway)) throw cause
    err(`error: ${cause instanceof HostRefused ? refusalText(host, cause) : cause.message}`)
    return EXIT.failed
  }
}

function pathOf(filters: URLSearchParams, more: Readonly<Record<string, string>>): string {
  return `/logs/v1/requests?${new URLSearchParams([...filters, ...Object.entries(more)]).toString()}`
}

interface Following {
  readonly filters: URLSearchParams
  readonly flags: LogsFlags
  readonly from: string
}

/** Ends only by a refusal that stays. */
async function followFrom(host: PartnerHost, { filters, flags, from }: Following): Promise<never> {
  for (let after = from; ;) {
    const callFor = (wait: number) => ({ path: pathOf(filters, { after, wait: String(wait), limit: "100" }) })
    const page = (await nextFrom(host, callFor)) as Page
    for (const call of page.requests) print(call, flags)
    after = page.after
  }
}

function print(call: LoggedCall, { json = false }: LogsFlags): void {
  const { at, method, path, status, code, duration_ms, request_id, key } = call
  if (json) out(JSON.stringify(call))
  else
    out(
      [at, method, path, status, code ?? "-", `${duration_ms} ms`, `…${key.last_four}`, request_id].join(" "),
    )
}
