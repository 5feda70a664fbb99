/** A host with the sign-in, the pages and the API of operations, and an operator who has signed in there. */

import type { FastifyInstance } from "fastify"
import { expect } from "vitest"
import { operatorPagesPlugin } from "../../src/apps/operators/http/pages.ts"
import { operationsOf } from "../../src/apps/operations/http/allowed-operations.ts"
import { operatorPlugin } from "../../src/apps/operators/http/plugin.ts"
import type { Run } from "../../src/http/bridge.ts"
import { makeApi } from "./api.ts"
import type { Api, ApiServices } from "./api.ts"

/** Also of the runner's pages, which `makeApi` serves. */
export const OPS_URL = "http://localhost"
export const FORM_KEY = "x-curbline-form-key"

export interface Visitor {
  readonly cookie: string
  readonly key: string
}

export function makeOps(): Promise<Api> {
  return makeApi({ plugins: { name: "pages of operations", register: addPages } })
}

async function addPages(app: FastifyInstance, run: Run<ApiServices>): Promise<void> {
  const host = { run, environment: "production", baseUrl: OPS_URL } as const
  await app.register(operatorPlugin, host)
  const page = async ({ data }: { readonly data: unknown }) => ({ html: JSON.stringify(data), policy: "" })
  await app.register(operatorPagesPlugin, {
    ...host,
    hasInspector: false,
    operationsOf,
    page,
    replayPage: page,
  })
}

export const signIn = (api: Api, token: string, headers: object = {}) =>
  api.app.inject({
    method: "POST",
    url: "/ops/api/session",
    headers: { "content-type": "application/json", ...headers },
    payload: JSON.stringify({ token }),
  })

/** The cookie of a sign-in, and the form key that a page with it holds. */
export async function signedIn(api: Api): Promise<Visitor> {
  const answer = await signIn(api, api.operatorToken)
  expect(answer.statusCode).toBe(200)
  const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? ""
  const page = await api.app.inject({ url: "/ops", headers: { cookie } })
  const { me } = page.json<{ readonly me: { readonly form_key: string } }>()
  return { cookie, key: me.form_key }
}
