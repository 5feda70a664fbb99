/** A terminal's link with the service: made in a browser, refreshed by one process at a time, ended on request. */

import { randomBytes } from "node:crypto"
import { setTimeout as after } from "node:timers/promises"
import { sha256Base64Url } from "#digest"
import { TERMINAL_CODE_MS } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { TERMINAL_PATH } from "../../areas/linking/connector-address.ts"
import { handleOf, lettersOf } from "../../areas/linking/terminal-letters.ts"
import type { TokenAnswer } from "../../model/linking.ts"
import { CallFailed, LinkEnded } from "./connector-host.ts"
import type { ConnectorHost } from "./connector-host.ts"
import { LinkFile } from "./kept-link.ts"

const POLL_MS = SECOND_MS
const GONE = "there is no link any more"

export interface TerminalLinkOptions {
  readonly host: ConnectorHost
  /** Of all links of the user. */
  readonly folder: string
  /** Shows a person the page that makes the link, and the letters that it must show at its end. */
  readonly show: (page: string, letters: string) => void
}

export class TerminalLink {
  readonly #host: ConnectorHost
  readonly #file: LinkFile
  readonly #show: TerminalLinkOptions["show"]
  /** One change at a time, also inside this process. */
  #changing: Promise<string> | null = null

  constructor({ host, folder, show }: TerminalLinkOptions) {
    this.#host = host
    this.#file = new LinkFile(folder, host.issuer)
    this.#show = show
  }

  /** The access token; makes the link if there is none. */
  async token(): Promise<string> {
    return this.#file.read()?.access_token ?? this.#change(() => this.#linked())
  }

  /** The access token of a link that was there before. Throws LinkEnded when another process has forgotten it. */
  knownToken(): string {
    const kept = this.#file.read()
    if (kept === null) throw new LinkEnded(GONE)
    return kept.access_token
  }

  /** A token in place of one that was refused. Rejects with LinkEnded when there is no link any more. */
  tokenAfter(refused: string): Promise<string> {
    return this.#change(() => this.#refreshed(refused))
  }

  /** Ends the link at the service and forgets it. False when there was none. */
  forget(): Promise<boolean> {
    return this.#file.alone(async () => {
      const kept = this.#file.read()
      if (kept === null) return false
      await this.#host.revoke({ token: kept.refresh_token, client_id: kept.client_id })
      this.#file.remove()
      return true
    })
  }

  #change(work: () => Promise<string>): Promise<string> {
    this.#changing ??= this.#file.alone(work).finally(() => (this.#changing = null))
    return this.#changing
  }

  async #linked(): Promise<string> {
    // Another process may have made it meanwhile.
    const known = this.#file.read()
    if (known !== null) return known.access_token
    const { issuer } = this.#host
    const redirectUri = `${issuer}${TERMINAL_PATH}`
    const clientId = await this.#host.register(redirectUri)
    const [secret, verifier] = [newSecret(), newSecret()]
    const handle = handleOf(secret)
    const query = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: sha256Base64Url(verifier),
      code_challenge_method: "S256",
      resource: issuer,
      state: handle,
    })
    this.#show(`${issuer}/oauth/authorize?${query.toString()}`, lettersOf(handle))
    const code = await this.#codeFor(secret)
    const form = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier }
    const tokens = await this.#host
      .grant({ grant_type: "authorization_code", ...form })
      .catch((cause: unknown) => {
        throw cause instanceof LinkEnded
          ? new CallFailed(
              "the letters were confirmed too late, more than a minute after the code. Begin again",
            )
          : cause
      })
    return this.#keep(clientId, tokens)
  }

  async #codeFor(secret: string): Promise<string> {
    for (let waitedMs = 0; waitedMs < TERMINAL_CODE_MS; waitedMs += POLL_MS) {
      const code = await this.#host.fetchCode(secret).catch((cause: unknown) => {
        // The person may be at the page: only what stays ends the wait.
        if (cause instanceof CallFailed && cause.isPassing) return null
        throw cause
      })
      if (code !== null) return code
      await after(POLL_MS)
    }
    throw new CallFailed("no phone was linked within ten minutes. Begin again")
  }

  async #refreshed(refused: string): Promise<string> {
    const kept = this.#file.read()
    if (kept === null) throw new LinkEnded(GONE)
    // Another process has refreshed it.
    if (kept.access_token !== refused) return kept.access_token
    const { client_id, refresh_token } = kept
    try {
      const tokens = await this.#host.grant({ grant_type: "refresh_token", client_id, refresh_token })
      return await this.#keep(client_id, tokens)
    } catch (cause) {
      if (cause instanceof LinkEnded) this.#file.remove()
      throw cause
    }
  }

  async #keep(clientId: string, { access_token, refresh_token }: TokenAnswer): Promise<string> {
    await this.#file.write({ issuer: this.#host.issuer, client_id: clientId, access_token, refresh_token })
    return access_token
  }
}

/** 256 bits as base64url, which is also what a verifier of PKCE may be. */
function newSecret(): string {
  return randomBytes(32).toString("base64url")
}
