/** An agent of the demo: links the demo's phone number and calls the connector's tools. */

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Demo } from "../../src/live/demo/demo.ts"
import type { CourierEnvelope, CourierTool } from "../../src/model/courier.ts"

export type CallTool = (name: CourierTool, args: object) => Promise<CourierEnvelope>

/** `codeFor` gives the code that the service has sent to a phone number. */
export async function linkedAgent(dataDir: string, codeFor: (phone: string) => string): Promise<CallTool> {
  const { courier } = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as Demo
  const token = await tokenOf(courier, codeFor)
  let calls = 0
  return async (name, args) => {
    calls += 1
    const key =
      name === "get_delivery_status" ? {} : { idempotency_key: `bench-${String(calls).padStart(4, "0")}` }
    const answer = await fetch(courier.mcp_url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: calls,
        method: "tools/call",
        params: { name, arguments: { ...args, ...key } },
      }),
    })
    const { result } = (await answer.json()) as {
      readonly result: { readonly structuredContent: CourierEnvelope }
    }
    return result.structuredContent
  }
}

/** Links the demo's phone number to a new client, and returns its access token. */
export async function tokenOf(
  { issuer, redirect_uri, phone }: Demo["courier"],
  codeFor: (phone: string) => string,
): Promise<string> {
  const registered = await fetch(`${issuer}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "An agent", redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await registered.json()) as { readonly client_id: string }
  const verifier = "v".repeat(64)
  const asked = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: issuer,
    state: "bench",
  })
  const submit = async (page: string, field: Readonly<Record<string, string>>): Promise<Response> => {
    const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const body = new URLSearchParams({ request, ...field })
    const answer = await fetch(`${issuer}/oauth/authorize`, { method: "POST", body, redirect: "manual" })
    const next = answer.headers.get("location") ?? ""
    return answer.status === 303 && !next.startsWith(redirect_uri) ? fetch(next) : answer
  }
  const phonePage = await (await fetch(`${issuer}/oauth/authorize?${asked.toString()}`)).text()
  const codePage = await (await submit(phonePage, { phone })).text()
  const done = await submit(codePage, { code: codeFor(phone) })
  const code = new URL(done.headers.get("location") ?? "").searchParams.get("code") ?? ""
  const granted = await fetch(`${issuer}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri,
      code_verifier: verifier,
      client_id,
    }),
  })
  return ((await granted.json()) as { readonly access_token: string }).access_token
}
