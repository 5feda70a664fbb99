/** Which service scenarios run against, and with what: the key and the token come from the environment, never from the command line. */

import { readDemo } from "../../live/demo/demo-file.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { HostAway, baseOf, isSameHost } from "../partners/partner-host.ts"
import { UsageError } from "../kit/usage-error.ts"
import { Receiver } from "./receiver.ts"
import type { Service } from "./run-against.ts"
import { askUnder } from "./sandbox-host.ts"

export interface AgainstFlags {
  /** The sandbox host. */
  readonly against: string
  /** The environment variable with the key. */
  readonly key?: string
  /** Of the receivers of webhooks on this machine. */
  readonly receiverPort?: string
  readonly receiverUrl?: string
}

/** What the runs are made with. Rejects with a UsageError that says what is missing. */
export async function openService(flags: AgainstFlags): Promise<Service> {
  const url = baseOf(flags.against)
  const { key, token, siteId } = await secretsFor(url, flags)
  if (key === "" && token === "")
    throw new UsageError(
      `there is nothing to call ${url} with: set CURBLINE_OPERATOR_TOKEN, or CURBLINE_API_KEY for the key's own organization`,
    )
  const operate = token === "" ? null : askUnder(url, token)
  // A key that is named is meant; without one, each run has an organization of its own if operations can make it.
  const isOfKey = key !== "" && (flags.key !== undefined || operate === null)
  const ask = isOfKey ? askUnder(url, key) : null
  await requireSandbox(url, { ask, operate })
  const receiver = new Receiver({ port: portOf(flags), publicUrl: publicUrlOf(flags) })
  await receiver.open()
  return { url, ask, operate, siteId, receiver }
}

interface Secrets {
  readonly key: string
  readonly token: string
  readonly siteId: string | null
}

async function secretsFor(url: string, flags: AgainstFlags): Promise<Secrets> {
  const { CURBLINE_OPERATOR_TOKEN, CURBLINE_SITE_ID, CURBLINE_DATA } = process.env
  const known = await onLocalFiles(readDemo(CURBLINE_DATA ?? ".curbline"))
  // The demo's secrets are good for its own host alone.
  const demo = known !== null && isSameHost(url, known.sandbox.base_url) ? known.sandbox : null
  const key = namedKey(flags.key) || demo?.api_key || ""
  const token = CURBLINE_OPERATOR_TOKEN || demo?.operator_token || ""
  if (key.startsWith("ck_prod_") || token.startsWith("ot_prod_"))
    throw new UsageError("this is a key of production; scenarios run against the sandbox alone")
  return { key, token, siteId: CURBLINE_SITE_ID ?? demo?.site_id ?? null }
}

/** The key in the named variable. A key on the command line would be seen by every user of the machine. */
function namedKey(name: string | undefined): string {
  if (name === undefined) return process.env["CURBLINE_API_KEY"] ?? ""
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("ck_"))
    throw new UsageError(
      "--key takes the name of an environment variable that holds the key: others can read a key on the command line",
    )
  const key = process.env[name] ?? ""
  if (key === "") throw new UsageError(`--key: the environment variable ${name} is not set`)
  return key
}

async function requireSandbox(
  url: string,
  { ask, operate }: Pick<Service, "ask" | "operate">,
): Promise<void> {
  try {
    if (operate !== null) {
      const { isAccepted, data, message } = await operate({ path: "/internal/v1/environment" })
      if (!isAccepted) throw new UsageError(`${url} refuses the operator's token: ${message}`)
      if (data.environment !== "sandbox") throw new UsageError(`${url} is no sandbox host`)
    }
    if (ask === null) return
    const { isAccepted, code, message } = await ask({ path: "/sandbox/v1/clock" })
    if (isAccepted) return
    throw new UsageError(
      code === "NOT_FOUND" ? `${url} is no sandbox host` : `${url} refuses the key: ${message}`,
    )
  } catch (cause) {
    if (cause instanceof HostAway) throw new UsageError(cause.message)
    throw cause
  }
}

function portOf({ receiverPort }: AgainstFlags): number {
  const port = Number(receiverPort ?? 0)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--receiver-port takes a port from 0 to 65535, not "${receiverPort ?? ""}"`)
}

function publicUrlOf({ receiverUrl, receiverPort }: AgainstFlags): string | null {
  if (receiverUrl === undefined) return null
  if (receiverPort === undefined)
    throw new UsageError("--receiver-url needs --receiver-port: the port of this machine to which it leads")
  if (!/^https?:$/.test(URL.parse(receiverUrl)?.protocol ?? ""))
    throw new UsageError(`--receiver-url ${receiverUrl} is no URL: give scheme, host and port`)
  return receiverUrl
}
