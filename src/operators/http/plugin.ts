/** `/ops/api/session`: signing in and out at `/ops`. */

import { Effect, Schema } from "effect"
import type { FastifyInstance } from "fastify"
import { attended } from "../../http/admission.ts"
import type { Run } from "../../http/bridge.ts"
import { decodeBody, sentBody } from "../../http/endpoint.ts"
import { NOT_STORED } from "../../http/errors.ts"
import { tellingWhen } from "../../http/too-many-attempts.ts"
import { FORM_KEY_HEADER } from "../../model/live-group.ts"
import { PAGE_FORM_BYTES_MAX } from "../../model/limits.ts"
import { OperatorSessions } from "../operator-sessions.ts"
import { operatorSessionIn, requireFormKey, requireOwnPages, setOperatorSession, signedIn } from "./gate.ts"
import type { Host } from "./gate.ts"

export interface OperatorOptions extends Host {
  readonly run: Run<OperatorSessions>
}

const SESSION = "/ops/api/session"

const SignIn = Schema.Struct({ token: Schema.String })

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function operatorPlugin(app: FastifyInstance, { run, ...host }: OperatorOptions): Promise<void> {
  const { environment } = host
  const options = { bodyLimit: PAGE_FORM_BYTES_MAX }
  app.post<{ Body: Buffer | undefined }>(SESSION, options, async (request, reply) => {
    requireOwnPages(request, host)
    const signingIn = Effect.gen(function* () {
      const { token } = yield* decodeBody(SignIn, sentBody(request.body, request.headers["content-type"]))
      const wanted = { environment, value: token.trim(), address: request.ip }
      return yield* (yield* OperatorSessions).signIn(wanted)
    })
    const session = await run(attended(request, tellingWhen(reply, signingIn)))
    setOperatorSession(reply, session, host)
    return reply.headers(NOT_STORED).send({ success: true, data: {} })
  })
  app.delete(SESSION, async (request, reply) => {
    requireOwnPages(request, host)
    requireFormKey(await signedIn(run, host, request), request.headers[FORM_KEY_HEADER])
    const value = operatorSessionIn(request, host) ?? ""
    await run(Effect.flatMap(OperatorSessions, (sessions) => sessions.signOut(value)))
    setOperatorSession(reply, null, host)
    return reply.headers(NOT_STORED).send({ success: true, data: {} })
  })
}
