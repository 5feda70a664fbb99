/** Addresses without a route: a browser gets a page that leads home, every other client the error of the service. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { CARD_STYLE } from "../../pages/html/styles.ts"
import { html } from "../../pages/html/markup.ts"
import { Refused } from "../../model/values/errors.ts"
import { NOT_STORED, sendError } from "../errors.ts"
import { isForPageReader, sendOutagePage } from "./outage-page.ts"
import { readsPages } from "./reads-pages.ts"
import { sendPage } from "./html-page.ts"
import type { PageLook, ShownPage } from "./html-page.ts"

export interface UnknownPages {
  /** `/portal`; with what follows. */
  readonly prefix: string
  /** Below it stand calls of scripts, which get errors alone: `/portal/api/`. */
  readonly apiPrefix?: string
  readonly send: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

export async function addUnknownPages(app: FastifyInstance, pages: UnknownPages): Promise<void> {
  await app.register((scope, _, done) => answerUnknownPaths(scope, pages, done), { prefix: pages.prefix })
}

function answerUnknownPaths(
  scope: FastifyInstance,
  { apiPrefix, send }: UnknownPages,
  done: () => void,
): void {
  scope.setNotFoundHandler(() => {
    throw new Refused({ code: "NOT_FOUND" })
  })
  // The gate refuses before the handler runs.
  scope.setErrorHandler(async (error, request, reply) => {
    const isUnknown = request.is404 && isNotFound(error)
    const isOfScript = apiPrefix !== undefined && request.url.startsWith(apiPrefix)
    if (!isUnknown || isOfScript || !readsPages(request)) return sendError(error, request, reply)
    return send(request, reply)
  })
  done()
}

/** The error handler of a whole host. */
export function sendErrorOrPage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.is404 && isNotFound(error)) return sendUnknown(error, request, reply)
  return isForPageReader(error, request)
    ? sendOutagePage(error, request, reply)
    : sendError(error, request, reply)
}

/** The answer to a request whose address has no route, or could not be parsed. */
export function sendUnknown(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return readsPages(request) ? sendPage(reply, NO_SUCH_PAGE, LOOK) : sendError(error, request, reply)
}

const NO_SUCH_PAGE: ShownPage = {
  status: 404,
  title: "No such page",
  body: html`<h1>There is no such page</h1>
    <p>The address may be mistyped, or the page may have moved. <a href="/">Go to the start page</a>.</p>`,
}

const LOOK: PageLook = { style: CARD_STYLE, isCard: true, headers: NOT_STORED }

export function isNotFound(error: unknown): boolean {
  return error instanceof Refused && error.code === "NOT_FOUND"
}
