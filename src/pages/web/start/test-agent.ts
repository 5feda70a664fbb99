/**
 * An agent in the browser. It links a test number of the demo by the pages on which a person would type it, and calls the tools of
 * the sandbox's connector.
 */

import { CourseFault } from "./action.tsx"
import { challengeOf, freshVerifier } from "./pkce.ts"

const ISSUER = "/api/delivery-mcp"

/** The envelope of a tool's answer, as far as this page reads it. */
export interface ToolAnswer {
  readonly delivery_id?: string
  readonly state?: string
  readonly next_step: string
  readonly user_message: string
  readonly decline_reason?: string
  readonly tracking_url?: string
  readonly terms?: { readonly version: string }
  readonly consent?: { readonly version: string }
  readonly next_pickup_window?: { readonly start: string }
  readonly error?: { readonly message: string }
}

/** Kept while the tab is open: each link takes one of the codes that a number may have in an hour. */
const KEPT = "curbline-test-agent"

export class TestAgent {
  readonly #phone: string
  readonly #code: string
  #calls = 0

  constructor({ phone, code }: { readonly phone: string; readonly code: string }) {
    this.#phone = phone
    this.#code = code
  }

  /** Calls a tool; links first where there is no token, and again where it is refused. */
  async call(name: string, args: object): Promise<ToolAnswer> {
    const kept = window.sessionStorage.getItem(KEPT)
    const first = kept === null ? null : await this.#post(kept, name, args)
    const answer = first ?? (await this.#post(await this.#link(), name, args))
    if (answer === null) throw new CourseFault("The connector refuses the token that it has just given.")
    return answer
  }

  /** Null when the token is refused. */
  async #post(token: string, name: string, args: object): Promise<ToolAnswer | null> {
    this.#calls += 1
    const response = await fetch(`${ISSUER}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: this.#calls,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    })
    if (response.status === 401) return null
    const { result, error } = (await response.json()) as {
      readonly result?: { readonly structuredContent?: ToolAnswer }
      readonly error?: { readonly message: string }
    }
    if (result?.structuredContent === undefined)
      throw new CourseFault(error?.message ?? `${name} answered ${response.status}`)
    return result.structuredContent
  }

  async #link(): Promise<string> {
    const issuer = new URL(ISSUER, window.location.href).href
    const redirect = `${issuer}/oauth/terminal`
    const verifier = freshVerifier()
    const { client_id: client } = await read<{ readonly client_id: string }>(`${ISSUER}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_name: "The start page", redirect_uris: [redirect] }),
    })
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: redirect,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: "S256",
      resource: issuer,
    })
    const phonePage = await fetch(`${ISSUER}/oauth/authorize?${query}`)
    const codePage = await submitted(phonePage, { phone: this.#phone })
    const done = await submitted(codePage, { code: this.#code })
    const code = new URL(done.url).searchParams.get("code")
    if (code === null) throw new CourseFault("The linking page gave no code; try again in an hour.")
    const { access_token: token } = await read<{ readonly access_token: string }>(`${ISSUER}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirect,
        code_verifier: verifier,
        client_id: client,
      }),
    })
    window.sessionStorage.setItem(KEPT, token)
    return token
  }
}

async function read<Data>(path: string, sent: RequestInit): Promise<Data> {
  const response = await fetch(path, sent)
  if (!response.ok) throw new CourseFault(`${path} answered ${response.status}`)
  return (await response.json()) as Data
}

/** Sends the form of a linking page with what a person types; returns the page that follows. */
async function submitted(page: Response, typed: Readonly<Record<string, string>>): Promise<Response> {
  const text = await page.text()
  const request = new DOMParser()
    .parseFromString(text, "text/html")
    .querySelector<HTMLInputElement>('input[name="request"]')
  return fetch(`${ISSUER}/oauth/authorize`, {
    method: "POST",
    body: new URLSearchParams({ request: request?.value ?? "", ...typed }),
  })
}
