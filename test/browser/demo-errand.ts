/** An agent that knows `demo.json` alone: links the demo's number, and has one errand checked. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import type { Demo } from "../../src/live/demo/demo.ts"
import type { CourierEnvelope } from "../../src/model/courier.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { authorizationQuery } from "../areas/linking/authorization-query.ts"

const VERIFIER = "v".repeat(64)

export interface Linking {
  readonly phone: string
  /** Ends the linking with the code that the service has for the number, and checks an errand; gives its id. */
  readonly finish: (code: string) => Promise<string>
}

/** Until the page that asks for the code. */
export async function beginLinking({ data }: ServiceProcess): Promise<Linking> {
  const { courier } = JSON.parse(readFileSync(join(data, "demo.json"), "utf8")) as Demo
  const { issuer, redirect_uri: redirect, phone, mcp_url: mcp } = courier
  const registered = await fetch(`${issuer}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "An agent", redirect_uris: [redirect] }),
  })
  const { client_id: client } = (await registered.json()) as { readonly client_id: string }
  const asked = authorizationQuery({ client, redirect, verifier: VERIFIER, issuer })
  asked.set("state", "s1")
  const submit = async (form: string, field: object): Promise<Response> => {
    const request = /name="request" value="([^"]+)"/.exec(form)?.[1] ?? ""
    const body = new URLSearchParams({ request, ...field })
    return fetch(`${issuer}/oauth/authorize`, { method: "POST", body, redirect: "manual" })
  }
  const phonePage = await (await fetch(`${issuer}/oauth/authorize?${asked.toString()}`)).text()
  const sent = await submit(phonePage, { phone })
  const codePage = await (await fetch(sent.headers.get("location") ?? "")).text()
  return {
    phone,
    finish: async (code) => {
      const back = new URL((await submit(codePage, { code })).headers.get("location") ?? "")
      const granted = await fetch(`${issuer}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: back.searchParams.get("code") ?? "",
          redirect_uri: redirect,
          client_id: client,
          code_verifier: VERIFIER,
        }),
      })
      const { access_token: token } = (await granted.json()) as { readonly access_token: string }
      return checkedErrand(mcp, token)
    },
  }
}

/** Its store may be closed: a check that is declined has an id as well. */
async function checkedErrand(mcp: string, token: string): Promise<string> {
  const [store] = DEMO_STORES
  const town = { city: "Austin", state: "TX" }
  const params = {
    name: "check_delivery",
    arguments: {
      idempotency_key: "call-0001",
      retailer_name: store?.name,
      store_address: {
        street: store?.street,
        zip: store?.zip,
        ...town,
        location: { lat: store?.place.latitude, lng: store?.place.longitude },
      },
      dropoff_address: { street: "1 River Road", zip: "78758", ...town },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
    },
  }
  const answer = await fetch(mcp, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  })
  const { result } = (await answer.json()) as {
    readonly result: { readonly structuredContent: CourierEnvelope }
  }
  return result.structuredContent.delivery_id ?? ""
}
