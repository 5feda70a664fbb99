/** `/internal/v1/window-policy`: the settings of an environment's policy that operations may change. */

import { Schema } from "effect"
import { ChangeWindowPolicyRequest, WindowPolicyRecord } from "../../../model/requests/operations-requests.ts"
import { WindowPolicy } from "../window-policy.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

const path = "/internal/v1/window-policy"
const OnePolicy = Schema.Struct({ window_policy: WindowPolicyRecord })

const read = operatorEndpoint({
  method: "GET",
  path,
  operationId: "readWindowPolicy",
  summary: "The window policy in force",
  answers: { 200: OnePolicy },
  *handle({ caller }) {
    const policy = yield* WindowPolicy
    return { window_policy: yield* policy.read(caller) }
  },
})

const change = operatorEndpoint({
  method: "PUT",
  path,
  operationId: "changeWindowPolicy",
  summary: "Change the window policy; absent fields stay, and bookings made before keep theirs",
  body: ChangeWindowPolicyRequest,
  answers: { 200: OnePolicy },
  *handle({ caller }, sent) {
    const request = yield* sent
    const policy = yield* WindowPolicy
    return { window_policy: yield* policy.change(caller, request) }
  },
})

export const windowPolicy = [read, change]
