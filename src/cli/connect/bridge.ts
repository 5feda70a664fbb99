/** Passes messages of MCP from an agent on this machine to the service, and the answers back. */

import { CallFailed, LinkEnded } from "./connector-host.ts"
import type { ConnectorHost } from "./connector-host.ts"
import type { TerminalLink } from "./terminal-link.ts"

export interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
}

/** JSON-RPC leaves these codes to the server. */
const SERVER_ERROR = -32000

/** What a person does when the link has ended. */
const AGAIN = "Run `npx curbline connect` with the same URL in a terminal to link again."

export class Bridge {
  readonly #host: ConnectorHost
  readonly #link: TerminalLink
  #revision: string | null = null
  #hasLink = false

  constructor(host: ConnectorHost, link: TerminalLink) {
    this.#host = host
    this.#link = link
  }

  /** The answers to a message; never rejects. A notification has none, also when it fails. */
  async answersTo(message: Message): Promise<readonly object[]> {
    try {
      const answers = await this.#passed(message)
      if (message.method === "initialize") this.#revision = revisionIn(answers)
      return answers
    } catch (cause) {
      if (message.id === undefined || message.method === undefined) return []
      const error = { code: SERVER_ERROR, message: plainWords(cause) }
      return [{ jsonrpc: "2.0", id: message.id, error }]
    }
  }

  async #passed(message: Message): Promise<readonly object[]> {
    const revision = this.#revision
    // Only its first call may open a browser: later ones would wait for a person who expects nothing.
    const token = await (this.#hasLink ? this.#link.knownToken() : this.#link.token())
    this.#hasLink = true
    const first = await this.#host.call(message, { token, revision })
    if (first !== null) return first
    const fresh = await this.#link.tokenAfter(token)
    const second = await this.#host.call(message, { token: fresh, revision })
    if (second === null) throw new LinkEnded("the service refuses this link's tokens")
    return second
  }
}

function revisionIn(answers: readonly object[]): string | null {
  const [first] = answers as readonly Message[]
  const { protocolVersion } = Object(first?.result) as { readonly protocolVersion?: unknown }
  return typeof protocolVersion === "string" ? protocolVersion : null
}

function plainWords(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}.`
  if (cause instanceof LinkEnded) return `${sentence} ${AGAIN}`
  return cause instanceof CallFailed ? sentence : `Curbline's bridge failed: ${said}`
}
