/**
 * The connector's authorization server as a Fastify plugin: discovery, registration, the pages, tokens and revocation.
 * Both hosts have it, each with its own users. While the connector is paused, everything but the resource's metadata is 404 for
 * every method. Source: courier connector contract, sections 4, 5, 8; our choice X14.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify"
import { Malformed, Refused, TurnedAway } from "../../../model/values/errors.ts"
import {
  PAGE_FORM_BYTES_MAX,
  REGISTRATION_BYTES_MAX,
  TOKEN_REQUEST_BYTES_MAX,
} from "../../../model/values/limits.ts"
import type { OAuthErrorCode } from "../../../model/linking.ts"
import { faultInJson } from "../../../model/values/well-formed.ts"
import { isOutage } from "../../../model/outage.ts"
import type { Authorization } from "../authorization.ts"
import {
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
  TERMINAL_PATH,
  issuerOf,
} from "../connector-address.ts"
import { ConnectorSwitch } from "../connector-switch.ts"
import type { Phones } from "../phones.ts"
import { Registration } from "../registration.ts"
import { TerminalCodes } from "../terminal-codes.ts"
import { Tokens } from "../tokens.ts"
import type { FormParameters } from "../../../model/values/form-parameters.ts"
import type { Run } from "../../../http/bridge.ts"
import { isOverload, isUnreadable, noteOutage, sendError } from "../../../http/errors.ts"
import { ANY_ORIGIN, refusalOf, sendNotAllowed, sendOAuthError, sendPreflight } from "./answers.ts"
import { beginAuthorization, sendPageError, submitStep, takePage } from "./authorize.ts"
import { addressOf } from "./caller-address.ts"
import { formIn, formTextIn, isForm } from "../../../http/pages/form.ts"
import { jsonOf } from "../../../http/bodies/json-body.ts"
import { resourceMetadata, serverMetadata } from "./metadata.ts"
import { confirmTerminal, openTerminal } from "./terminal.ts"

/** All services that this API needs. */
export type OAuthSurface = Authorization | ConnectorSwitch | Phones | Registration | TerminalCodes | Tokens

export interface OAuthOptions {
  readonly run: Run<OAuthSurface>
  /** Scheme and host of the connector. */
  readonly baseUrl: string
  /** Absent: no page shows a code, as in production. */
  readonly mayShowCode?: (request: FastifyRequest) => boolean
  /** True for the sandbox, whose numbers are made up. */
  readonly isForTests?: boolean
}

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function oauthPlugin(app: FastifyInstance, options: OAuthOptions): Promise<void> {
  const { run, baseUrl } = options
  const issuer = issuerOf({ baseUrl })
  const path = new URL(issuer).pathname
  const document = JSON.stringify(serverMetadata(issuer))
  addDocument(app, RESOURCE_METADATA_PATH, {
    cacheControl: "max-age=3600",
    text: JSON.stringify(resourceMetadata(issuer)),
  })
  await app.register(async (scope) => {
    scope.addHook("onRequest", refusingWhilePaused(run))
    addDocument(scope, SERVER_METADATA_PATH, { cacheControl: "public, max-age=300", text: document })
    await scope.register(async (pages) => addTerminalPage(pages, `${path}${TERMINAL_PATH}`, options))
    await scope.register(async (pages) => addPages(pages, `${path}/oauth/authorize`, options))
    await scope.register(async (posts) => {
      posts.setErrorHandler(sendPostError)
      addPost(posts, `${path}/oauth/register`, REGISTRATION_BYTES_MAX, (request, reply) =>
        register(request, reply, run),
      )
      addPost(posts, `${path}/oauth/token`, TOKEN_REQUEST_BYTES_MAX, (request, reply) =>
        answerForm(request, reply, (form, address) =>
          run(Effect.flatMap(Tokens, (tokens) => tokens.grant(form, address))),
        ),
      )
      addPost(posts, `${path}${TERMINAL_PATH}/code`, TOKEN_REQUEST_BYTES_MAX, (request, reply) =>
        answerForm(request, reply, (form, address) =>
          run(Effect.flatMap(TerminalCodes, (codes) => codes.fetch(form, address))),
        ),
      )
      addPost(posts, `${path}/oauth/revoke`, TOKEN_REQUEST_BYTES_MAX, (request, reply) =>
        answerForm(request, reply, (form, address) =>
          run(Effect.flatMap(Tokens, (tokens) => tokens.revoke(form, address))),
        ),
      )
    })
  })
}

function refusingWhilePaused(run: Run<OAuthSurface>) {
  return async (_: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const isPaused = await run(Effect.flatMap(ConnectorSwitch, (connector) => connector.isPaused))
    if (!isPaused) return undefined
    return sendOAuthError(reply, { error: "not_found", description: "the connector is paused" })
  }
}

interface Document {
  readonly cacheControl: string
  readonly text: string
}

function addDocument(app: FastifyInstance, url: string, { cacheControl, text }: Document): void {
  const methods = ["GET", "HEAD"]
  app.all(url, async (request, reply) => {
    if (request.method === "OPTIONS") return sendPreflight(reply, methods)
    if (!methods.includes(request.method)) return sendNotAllowed(reply.headers(ANY_ORIGIN), methods)
    return reply
      .headers({ ...ANY_ORIGIN, "Cache-Control": cacheControl })
      .type("application/json; charset=utf-8")
      .send(text)
  })
}

type BodyRequest = FastifyRequest<{ Body: Buffer | undefined }>

function addPages(
  app: FastifyInstance,
  url: string,
  { run, baseUrl, mayShowCode = () => false, isForTests = false }: OAuthOptions,
): void {
  const { origin } = new URL(baseUrl)
  const authorize = { run, origin, action: `${origin}${url}`, mayShowCode, isForTests }
  addPageHooks(app, run)
  app.all<{ Body: Buffer | undefined }>(
    url,
    // The bytes of `state` are returned unchanged. Our choice A5.
    { bodyLimit: PAGE_FORM_BYTES_MAX, config: { opaqueParameters: ["state"] } },
    async (request, reply): Promise<FastifyReply> => {
      if (request.method === "POST") return submitStep(request, reply, authorize)
      if (request.method === "GET" || request.method === "HEAD") {
        return beginAuthorization(request, reply, authorize)
      }
      return sendNotAllowed(reply, ["GET", "HEAD", "POST"])
    },
  )
}

function addTerminalPage(app: FastifyInstance, url: string, { run, baseUrl }: OAuthOptions): void {
  const { origin } = new URL(baseUrl)
  const options = { run, origin, action: `${origin}${url}` }
  addPageHooks(app, run)
  app.all<{ Body: Buffer | undefined }>(
    url,
    { bodyLimit: PAGE_FORM_BYTES_MAX },
    async (request, reply): Promise<FastifyReply> => {
      if (request.method === "POST") return confirmTerminal(request, reply, options)
      if (request.method === "GET" || request.method === "HEAD") return openTerminal(request, reply, options)
      return sendNotAllowed(reply, ["GET", "HEAD", "POST"])
    },
  )
}

/** Errors are pages, and every page counts. */
function addPageHooks(app: FastifyInstance, run: Run<OAuthSurface>): void {
  app.setErrorHandler((error, request, reply) =>
    isOfTheGate(error) ? sendError(error, request, reply) : sendPageError(error, request, reply),
  )
  app.addHook("onRequest", async (request) => {
    if (["GET", "HEAD", "POST"].includes(request.method)) await takePage(request, run)
  })
}

type Handle = (request: BodyRequest, reply: FastifyReply) => Promise<FastifyReply>

function addPost(app: FastifyInstance, url: string, bodyLimit: number, handle: Handle): void {
  const answer: RouteHandlerMethod = async (request, reply) => {
    reply.headers(ANY_ORIGIN)
    if (request.method === "OPTIONS") return sendPreflight(reply, ["POST"])
    if (request.method !== "POST") return sendNotAllowed(reply, ["POST"])
    return handle(request as BodyRequest, reply)
  }
  app.all(url, { bodyLimit }, answer)
}

async function register(
  request: BodyRequest,
  reply: FastifyReply,
  run: Run<OAuthSurface>,
): Promise<FastifyReply> {
  if (!isJson(request.headers["content-type"])) {
    const description = "Content-Type must be application/json"
    return sendOAuthError(reply, { error: "invalid_client_metadata", description })
  }
  const metadata = jsonIn(request.body)
  const made = await run(
    Effect.flatMap(Registration, (registration) => registration.register(metadata, addressOf(request))),
  )
  return reply.code(201).header("Cache-Control", "no-store").send(made)
}

/** RFC 7591 §3.1. A page of another site can send forms and plain text, but JSON only after a preflight. */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json"
}

/** Undefined if it is not JSON in UTF-8. Throws Malformed for content that no field may have. */
function jsonIn(body: Buffer | undefined): unknown {
  const sent = body === undefined ? undefined : jsonOf(body)
  const fault = faultInJson(sent)
  if (fault !== null) throw new Malformed(fault)
  return sent
}

/** Answers a form of the protocol; any other body is refused first. */
async function answerForm<A>(
  request: BodyRequest,
  reply: FastifyReply,
  asking: (form: FormParameters, address: string) => Promise<A>,
): Promise<FastifyReply> {
  const form = formOf(request)
  if (form === null) return sendUnreadable(request, reply)
  const answer = await asking(form, addressOf(request))
  return reply.code(200).headers({ "Cache-Control": "no-store", Pragma: "no-cache" }).send(answer)
}

/** Null when it is not a form, or has a parameter twice. */
function formOf(request: BodyRequest): FormParameters | null {
  if (!isForm(request.headers["content-type"])) return null
  return formIn(formTextIn(request.body))
}

function sendUnreadable(request: BodyRequest, reply: FastifyReply): FastifyReply {
  const description = isForm(request.headers["content-type"])
    ? "the body must hold each parameter once"
    : "Content-Type must be application/x-www-form-urlencoded"
  return sendOAuthError(reply, { error: "invalid_request", description })
}

/** True for errors of the gate, such as an unknown host, which are answered the same in every API. */
function isOfTheGate(error: unknown): boolean {
  return error instanceof Refused || (error instanceof TurnedAway && !isOverload(error))
}

function sendPostError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isOfTheGate(error)) return sendError(error, request, reply)
  reply.headers(ANY_ORIGIN)
  if (isOverload(error)) {
    const description = "more requests come in than can be worked on; try again after Retry-After"
    return sendOAuthError(reply, { error: "temporarily_unavailable", description })
  }
  const refusal = refusalOf(error, reply)
  if (refusal !== null) return sendOAuthError(reply, refusal)
  if (isUnreadable(error) || error instanceof Malformed) {
    const isRegistration = request.routeOptions.bodyLimit === REGISTRATION_BYTES_MAX
    const code: OAuthErrorCode = isRegistration ? "invalid_client_metadata" : "invalid_request"
    const description =
      error instanceof Malformed
        ? `${error.field} ${error.message}`
        : "the body is too large, or could not be read"
    return sendOAuthError(reply, { error: code, description })
  }
  if (isOutage(error)) {
    noteOutage(error, request, reply)
    const description = "the service cannot reach its database; send the same request again"
    return sendOAuthError(reply, { error: "temporarily_unavailable", description })
  }
  request.log.error({ err: error }, "a request failed")
  return sendOAuthError(reply, { error: "server_error", description: "something failed on our side" })
}
