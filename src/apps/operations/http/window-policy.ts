/** `/internal/v1/window-policy`: the settings of an environment's policy that operations may change. */

import { Effect, Schema } from "effect"
import { ChangeWindowPolicyRequest, WindowPolicyRecord } from "../../../model/requests/operations-requests.ts"
import { WindowPolicy } from "../window-policy.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"

const path = "/internal/v1/window-policy"
const OnePolicy = Schema.Struct({ window_policy: WindowPolicyRecord })

const read: OperatorEndpoint<WindowPolicy> = {
  method: "GET",
  path,
  operationId: "readWindowPolicy",
  summary: "The window policy in force",
  parameters: [],
  body: null,
  answers: { 200: OnePolicy },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const policy = yield* WindowPolicy
      return { status: 200, data: { window_policy: yield* policy.read(caller) } }
    }),
}

const change: OperatorEndpoint<WindowPolicy> = {
  method: "PUT",
  path,
  operationId: "changeWindowPolicy",
  summary: "Change the window policy; absent fields stay, and bookings made before keep theirs",
  parameters: [],
  body: ChangeWindowPolicyRequest,
  answers: { 200: OnePolicy },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(ChangeWindowPolicyRequest, body)
      const policy = yield* WindowPolicy
      return { status: 200, data: { window_policy: yield* policy.change(caller, request) } }
    }),
}

export const windowPolicy = [read, change]
