/**
 * Who asked, and what was sent: read when an operator opens it, never with the entries. Each opening is a line of the audit log
 * of operations.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Refused } from "../../../model/values/errors.ts"
import type { Query } from "../../../http/endpoint.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import type { Run } from "../../../http/bridge.ts"
import { OperatorActions, actorOf } from "../../operators/actions.ts"
import type { OperatorSessions } from "../../operators/operator-sessions.ts"
import { signedInAdmin } from "../../operators/http/gate.ts"
import type { Host } from "../../operators/http/gate.ts"
import { AskedByWhom } from "../asked-by.ts"

/** A request about one group. */
export interface Asked {
  readonly Params: { readonly kind: string; readonly id: string }
  readonly Querystring: Query
  readonly Body: Buffer | undefined
}

interface Options extends Host {
  readonly run: Run<AskedByWhom | OperatorActions | OperatorSessions>
  /** The path of a group's page. */
  readonly path: string
}

export function addAskedBy(app: FastifyInstance, { run, path, ...host }: Options): void {
  const opened = async <Answer>(
    request: FastifyRequest<Asked>,
    reply: FastifyReply,
    {
      action,
      read,
    }: {
      readonly action: string
      readonly read: (address: string) => Effect.Effect<Answer, Refused, AskedByWhom | OperatorActions>
    },
  ): Promise<FastifyReply> => {
    const { operator } = await signedInAdmin(run, host, request)
    const { environment } = host
    const address = `${request.params.kind}/${request.params.id}`
    const doing = { environment, ...actorOf(operator), action, subjectId: address }
    const data = await run(Effect.flatMap(OperatorActions, (actions) => actions.noting(doing, read(address))))
    return reply.headers(NOT_STORED).send({ success: true, data })
  }
  app.get<Asked>(`${path}/asked`, (request, reply) =>
    opened(request, reply, {
      action: "openRequest",
      read: (group) => commandOf(host, { group, revision: revisionIn(request) }),
    }),
  )
  app.get<Asked>(`${path}/bodies`, (request, reply) =>
    opened(request, reply, {
      action: "openBodies",
      read: (group) => Effect.flatMap(AskedByWhom, ({ attempts }) => attempts(host.environment, group)),
    }),
  )
}

/** With the name of an operator: ids of accounts and tokens say nothing to people. */
const commandOf = Effect.fnUntraced(function* (
  { environment }: Host,
  entry: { readonly group: string; readonly revision: number },
) {
  const answer = yield* (yield* AskedByWhom).command(environment, entry)
  const { requester } = answer
  if (requester?.type !== "operator" || requester.id === null) return answer
  const name = yield* (yield* OperatorActions).nameOfId(environment, requester.id)
  return name === null ? answer : { ...answer, operator_name: name }
})

/** 0, which no entry has, for anything else. */
function revisionIn({ query }: FastifyRequest<Asked>): number {
  const { revision } = query
  return typeof revision === "string" && /^\d{1,9}$/.test(revision) ? Number(revision) : 0
}
