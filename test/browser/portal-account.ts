/** A member of the portal of a started service, signed up through its API, with the cookie in a browser's context. */

import type { APIResponse, Page } from "playwright-core"
import type { ServiceProcess } from "../serve/service-process.ts"

export const EMAIL = "ada@northloop.example"
export const PASSWORD = "lemon tractor window"

interface SignUpOptions {
  /** Of the portal, as the browser writes it. */
  readonly origin: string
  /** Default: Ada of North Loop Market. */
  readonly person?: { readonly email: string; readonly name: string; readonly organization: string }
}

const ADA = { email: EMAIL, name: "Ada Lindqvist", organization: "North Loop Market" }

export type PortalPost = (path: string, body: object) => Promise<APIResponse>

/** Returns what sends a command as this member. */
export async function signUp(
  page: Page,
  service: ServiceProcess,
  { origin, person = ADA }: SignUpOptions,
): Promise<PortalPost> {
  const post: PortalPost = (path, body) =>
    page.context().request.post(`${origin}/portal/api${path}`, {
      data: body,
      headers: { origin, "x-curbline-portal": "1" },
    })
  const account = {
    email: person.email,
    password: PASSWORD,
    name: person.name,
    organization_name: person.organization,
  }
  const asked = await post("/sign-up", account)
  const { data } = (await asked.json()) as { data: { sign_up_token: string } }
  const { operator_token: token } = service.access.production
  const mails = await fetch(`${service.urls.production}/internal/v1/messages?channel=mail`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { data: outbox } = (await mails.json()) as { data: { messages: { to: string; text: string }[] } }
  const mail = outbox.messages.find(({ to }) => to === person.email)?.text ?? ""
  const code = /code is (\d{6})/.exec(mail)?.[1] ?? ""
  const verified = await post("/sign-up/verify", { sign_up_token: data.sign_up_token, code })
  if (verified.status() !== 201) throw new Error(`the sign-up answered ${verified.status()}`)
  return post
}

/** Operations enrol an organization as a fleet partner of the sandbox, and let it book where the demo does. */
export async function enrol(service: ServiceProcess, name: string): Promise<void> {
  const {
    base_url: base,
    operator_token: token,
    zone_id: zone,
    retailer_id: retailer,
  } = service.access.sandbox
  const operate = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${base}/internal/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
    return (await answer.json()) as {
      data: { organizations?: { organization_id: string; name: string }[] }
    }
  }
  const { data } = await operate("GET", "/organizations")
  const id = data.organizations?.find((one) => one.name === name)?.organization_id ?? ""
  await operate("PATCH", `/organizations/${id}`, { is_fleet_partner: true })
  await operate("PUT", `/organizations/${id}/grants/${zone}/${retailer}`)
}
