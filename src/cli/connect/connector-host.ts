/** The service as a terminal calls it: its authorization server and its MCP endpoint, with failures in plain words. */

import { SECOND_MS } from "../../model/values/time.ts"
import { ISSUER_PATH, TERMINAL_CLIENT_NAME } from "../../model/linking.ts"
import type { TokenAnswer } from "../../model/linking.ts"
import { reasonOf } from "../partners/partner-host.ts"
import { UsageError } from "../kit/usage-error.ts"

/** A call failed; the message is for the person or the agent that made it. */
export class CallFailed extends Error {
  /** The same call may succeed in a moment. */
  readonly isPassing: boolean

  constructor(message: string, { isPassing = false }: { readonly isPassing?: boolean } = {}) {
    super(message)
    this.isPassing = isPassing
  }
}

/** The link has ended: its tokens are of no more use. */
export class LinkEnded extends CallFailed {}

/** A check of an order asks maps, which takes its time. */
const ANSWER_MS_MAX = 60 * SECOND_MS

/** The connector of a host. Only on this machine without TLS. */
export class ConnectorHost {
  readonly issuer: string
  readonly #host: string

  /** `given`: any URL of the host, such as its MCP endpoint. */
  constructor(given: string) {
    const url = URL.parse(given)
    const isLocal = url !== null && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)
    if (url === null || !(url.protocol === "https:" || (isLocal && url.protocol === "http:")))
      throw new UsageError(`${given} is no https URL of a Curbline host, such as https://curbline.example`)
    this.issuer = `${url.origin}${ISSUER_PATH}`
    this.#host = url.host
  }

  /** A new client, whose authorizations end at this redirect URI. Returns its id. */
  async register(redirectUri: string): Promise<string> {
    const body = JSON.stringify({ client_name: TERMINAL_CLIENT_NAME, redirect_uris: [redirectUri] })
    const answer = await this.#post("/oauth/register", body, { "Content-Type": "application/json" })
    if (answer.status !== 201) throw this.#failure(answer)
    return String(fieldsOf(answer)["client_id"])
  }

  /** Null while the person has not confirmed the letters. */
  async fetchCode(secret: string): Promise<string | null> {
    const answer = await this.#form("/oauth/terminal/code", { secret })
    if (answer.status !== 200) throw this.#failure(answer)
    const { code } = fieldsOf(answer)
    return typeof code === "string" ? code : null
  }

  /** Rejects with LinkEnded when the grant is of no more use. */
  async grant(form: Readonly<Record<string, string>>): Promise<TokenAnswer> {
    const answer = await this.#form("/oauth/token", form)
    if (answer.status === 200) return fieldsOf(answer) as unknown as TokenAnswer
    if (["invalid_client", "invalid_grant"].includes(String(fieldsOf(answer)["error"])))
      throw new LinkEnded(`the link with ${this.#host} has ended`)
    throw this.#failure(answer)
  }

  async revoke(form: Readonly<Record<string, string>>): Promise<void> {
    const answer = await this.#form("/oauth/revoke", form)
    if (answer.status !== 200) throw this.#failure(answer)
  }

  /** One message of MCP. Null when the token is refused; else the messages that answer it. */
  async call(message: object, { token, revision }: Caller): Promise<readonly object[] | null> {
    const answer = await this.#post("/mcp", JSON.stringify(message), {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${token}`,
      ...(revision === null ? {} : { "MCP-Protocol-Version": revision }),
      ...statelessHeaders(message),
    })
    if (answer.status === 401) return null
    const said = jsonIn(answer.text)
    const isAnswer = Array.isArray(said) || "jsonrpc" in fieldsOf(answer)
    if (isAnswer) return [said].flat() as readonly object[]
    if (answer.status >= 300) throw this.#failure(answer)
    return []
  }

  #form(path: string, form: Readonly<Record<string, string>>): Promise<Answer> {
    return this.#post(path, new URLSearchParams(form).toString(), {
      "Content-Type": "application/x-www-form-urlencoded",
    })
  }

  async #post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    try {
      const answer = await fetch(`${this.issuer}${path}`, {
        method: "POST",
        headers,
        body,
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    } catch (cause) {
      throw new CallFailed(`${this.#host} does not answer: ${reasonOf(cause)}. Try again in a moment`, {
        isPassing: true,
      })
    }
  }

  #failure({ status, headers, text }: Answer): CallFailed {
    const again = headers.get("Retry-After")
    const wait = again === null ? "a moment" : `${again} seconds`
    if (status === 404)
      return new CallFailed(`the courier connector of ${this.#host} is paused, or this host has none`)
    if (status === 429)
      return new CallFailed(`${this.#host} got too many calls. Try again in ${wait}`, { isPassing: true })
    if (status >= 500)
      return new CallFailed(`${this.#host} cannot answer now (status ${status}). Try again in ${wait}`, {
        isPassing: true,
      })
    const { error_description: reason } = fieldsOf({ text })
    const why = typeof reason === "string" ? reason : "no reason given"
    return new CallFailed(`${this.#host} refused the call (status ${status}): ${why}`)
  }
}

export interface Caller {
  readonly token: string
  /** The revision of MCP that was agreed on; null before that. */
  readonly revision: string | null
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Of a message that names its revision itself. Source: MCP 2026-07-28, Streamable HTTP, Standard Request Headers. */
function statelessHeaders(message: object): Readonly<Record<string, string>> {
  const { method, params } = message as { readonly method?: unknown; readonly params?: unknown }
  const { _meta: meta, name, uri = name } = Object(params) as Readonly<Record<string, unknown>>
  const revision: unknown = Object(meta)["io.modelcontextprotocol/protocolVersion"]
  if (typeof revision !== "string" || typeof method !== "string") return {}
  return {
    "MCP-Protocol-Version": revision,
    "Mcp-Method": method,
    ...(typeof uri === "string" ? { "Mcp-Name": asHeader(uri) } : {}),
  }
}

function asHeader(value: string): string {
  return /^[!-~]([ -~]*[!-~])?$/.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`
}

function fieldsOf({ text }: Pick<Answer, "text">): Readonly<Record<string, unknown>> {
  return Object(jsonIn(text)) as Readonly<Record<string, unknown>>
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
