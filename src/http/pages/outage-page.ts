/**
 * The page of a person whose request cannot be answered at the moment: the database is away, or the service is overloaded. It asks
 * for its address again by itself, and loads it when there is an answer. Programs get the same status with a JSON body.
 */

import type { FastifyReply, FastifyRequest } from "fastify"
import { CARD_STYLE } from "../../pages/html/styles.ts"
import { html } from "../../pages/html/markup.ts"
import { OUTAGE_RETRY_SECONDS, isOutage } from "../../model/outage.ts"
import { NOT_STORED, isOverload, noteOutage } from "../errors.ts"
import { sendPage } from "./html-page.ts"
import { readsPages } from "./reads-pages.ts"

/** Callers of the APIs send a key or a token in a header, browsers that open a page do not. */
export function isForPageReader(error: unknown, request: FastifyRequest): boolean {
  return (
    (isOutage(error) || isOverload(error)) && readsPages(request) && !("authorization" in request.headers)
  )
}

export function sendOutagePage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isOutage(error)) noteOutage(error, request, reply)
  else if (!reply.hasHeader("Retry-After")) reply.header("Retry-After", String(OUTAGE_RETRY_SECONDS))
  // A form would be sent a second time, and the first may have been carried out.
  const isRead = request.method === "GET" || request.method === "HEAD"
  const after = isRead
    ? html`<p>This page loads by itself as soon as there is an answer. You need not do anything.</p>`
    : html`<p>Go back in a moment, and look whether it was done before you send it again.</p>`
  return sendPage(
    reply,
    {
      status: 503,
      title: TITLE,
      body: html`<h1>${TITLE}</h1>
        <p>Curbline is running but is too busy, or cannot reach its data.</p>
        ${after}`,
      ...(isRead ? { script: AGAIN } : {}),
    },
    { style: CARD_STYLE, isCard: true, headers: NOT_STORED },
  )
}

const TITLE = "No answer at the moment"

/** A redirect is an answer, too: its status reads as 0 here. */
const AGAIN = `const PAUSE_MS = 5000
const look = async () => {
  try {
    const found = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "manual" })
    if (found.status !== 503) return location.reload()
  } catch {
    // The service itself may be away.
  }
  setTimeout(look, PAUSE_MS)
}
setTimeout(look, PAUSE_MS)`
