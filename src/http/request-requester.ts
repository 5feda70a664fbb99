/** Who sends the current request: set by a hook, read by the bridge, so that every command of a request has it. */

import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Operator } from "../model/caller.ts"
import type { CallerType, Requester } from "../model/requester.ts"

/** A function, because the caller is known only after the gate has looked its key up. */
const requesters = new AsyncLocalStorage<() => Requester>()

/** The requester of the request that is being answered; null outside of one. */
export function currentRequester(): Requester | null {
  return requesters.getStore()?.() ?? null
}

const OWN_ID = "ownRequestId"
const SENDER = "requestSender"

interface Sender {
  readonly type: CallerType
  readonly id: string | null
}

const NO_SENDER: Sender = { type: "page", id: null }

/** Must run before hooks that run commands. */
export function identifyRequests(app: FastifyInstance): void {
  app.decorateRequest(OWN_ID, "")
  app.decorateRequest(SENDER, null)
  app.addHook("onRequest", (request, _, done) => {
    // A caller's id may be anything, also personal, so a journal gets one of our own.
    request.setDecorator(OWN_ID, sentIdOf(request) === null ? request.id : randomUUID())
    requesters.run(() => requesterOf(request), done)
  })
  // A body is read in callbacks of the connection, which have lost the request's async context.
  app.addHook("preValidation", (request, _, done) => requesters.run(() => requesterOf(request), done))
}

/** The service's own id of the request. */
export function ownIdOf(request: FastifyRequest): string {
  return request.getDecorator<string>(OWN_ID)
}

/** The id that the caller sent, if it was taken. */
export function sentIdOf({ id, headers }: FastifyRequest): string | null {
  return id === headers["x-request-id"] ? id : null
}

/** For gates: who was admitted. */
export function setSender(request: FastifyRequest, sender: Sender): void {
  if (request.server.hasRequestDecorator(SENDER)) request.setDecorator(SENDER, sender)
}

export function operatorSender({ accountId, tokenId }: Operator): Sender {
  return { type: "operator", id: accountId ?? tokenId ?? null }
}

/** True when a gate has admitted someone. */
export function hasSender(request: FastifyRequest): boolean {
  return senderOf(request) !== null
}

function senderOf(request: FastifyRequest): Sender | null {
  return request.getDecorator<Sender | null>(SENDER)
}

function requesterOf(request: FastifyRequest): Requester {
  return { request: ownIdOf(request), ...(senderOf(request) ?? NO_SENDER) }
}
