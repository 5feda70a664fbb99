/**
 * Clients that are named by an https URL: their metadata document is at this URL. Only the owner of a host can put a
 * document there, so the page of an authorization shows the host. A document that passed is kept as a client, so that
 * tokens are exchanged and refreshed without another read. Our choice A38; draft-ietf-oauth-client-id-metadata-document.
 */

import { Effect, Either, Option, Schema } from "effect"
import type { PageErrorCode } from "../../model/linking.ts"
import {
  AUTHORIZATION_CODE_MS,
  AUTHORIZATION_REQUEST_MS,
  CLIENT_DOCUMENTS_MAX,
  CLIENT_DOCUMENT_BYTES_MAX,
  CLIENT_DOCUMENT_KEPT_MS_MAX,
  CLIENT_DOCUMENT_KEPT_MS_MIN,
  CLIENT_DOCUMENT_READS_MAX,
  CLIENT_DOCUMENT_READS_PER_HOST,
  CLIENT_DOCUMENT_TIMEOUT_MS,
  CLIENT_DOCUMENT_URL_LENGTH_MAX,
  REDIRECT_URIS_MAX,
} from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { OutboundDocuments } from "../../engine/services/outbound/outbound-documents.ts"
import type { DocumentAnswer } from "../../engine/services/outbound/outbound-documents.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { OwnerTurns } from "../../engine/services/owner-turns.ts"
import type { Owner } from "../../engine/services/owner-turns.ts"
import { besideDatabase } from "../../engine/services/presence.ts"
import { networkOf } from "../../engine/services/rate-limits/network.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { takeOne } from "./attempt-limits.ts"
import { ClientName, optional } from "./client-metadata.ts"
import { ConnectorAddress } from "./connector-address.ts"
import { ClientRows } from "./rows.ts"
import { ShownError } from "./shown-error.ts"

export class ClientDocuments extends service<ClientDocuments>()("ClientDocuments", () => {
  const turns = new OwnerTurns({
    environmentMax: CLIENT_DOCUMENT_READS_MAX,
    organizationMax: CLIENT_DOCUMENT_READS_PER_HOST,
  })
  return {
    client: (url: string, asked: Pick<Asking, "address" | "redirectUri">) =>
      clientAt(url, { turns, ...asked }),
  }
}) {}

/** Whether a client id is a URL rather than the id of a registered client. */
export function isDocumentUrl(clientId: string): boolean {
  return /^https?:/i.test(clientId)
}

interface Asking {
  readonly turns: OwnerTurns
  /** The caller's. */
  readonly address: string
  /** Where the authorization is to end; null when it names no one place. */
  readonly redirectUri: string | null
}

/**
 * The client at a URL, from the kept document or a new read. Fails with a ShownError that says what is wrong, and with
 * LimitReached after too many reads for the address.
 */
const clientAt = Effect.fnUntraced(function* (url: string, { turns, address, redirectUri }: Asking) {
  const rows = yield* ClientRows
  const urls = yield* UrlPolicy
  if (urls.checkText(url) !== null || !isDocumentAddress(url)) return yield* shown("client_document_address")
  const known = yield* rows.client(url)
  const nowMs = yield* Routine.nowMs
  if (known !== null && nowMs < (known.documentEndsAtMs ?? 0)) {
    const isNew = redirectUri !== null && !known.redirectUris.includes(redirectUri)
    // Operators may have allowed it since the document was read.
    if (!isNew || !(yield* allowedRedirects).has(redirectUri)) return known
  }
  yield* takeOne("client-documents/address", networkOf(address))
  const read = yield* Effect.tapError(readAt(url, turns), ({ code }) => noteRefusal(url, code))
  const host = yield* ActorHost
  return yield* host.run({
    name: "keep a client's document",
    // One at a time, so that the bound of documents is exact.
    locks: { key: "linking/client-documents" },
    body: Routine.fn(function* () {
      const { nowMs: createdAtMs } = yield* Transaction
      const { keptMs, ...said } = read
      const firstTokenAtMs = known?.firstTokenAtMs ?? null
      const client = { clientId: url, ...said, createdAtMs, firstTokenAtMs, documentEndsAtMs: nowMs + keptMs }
      const isKept = yield* rows.putDocument(client, {
        max: CLIENT_DOCUMENTS_MAX,
        idleBeforeMs: createdAtMs - AUTHORIZATION_REQUEST_MS - AUTHORIZATION_CODE_MS,
      })
      return isKept ? client : yield* shown("client_document_busy")
    }),
  })
})

/** The draft, section 3: with a path, and written as a browser would write it, so that there is one id for one document. */
function isDocumentAddress(url: string): boolean {
  const { href, pathname } = new URL(url)
  return (
    url.length <= CLIENT_DOCUMENT_URL_LENGTH_MAX && href === url && pathname !== "/" && !url.includes("#")
  )
}

/** What the document says. No transaction is open while it is read. */
const readAt = Effect.fnUntraced(function* (url: string, turns: OwnerTurns) {
  const http = yield* OutboundDocuments
  // Strangers choose the names, so all of them together have the look-ups of one organization.
  const { environment } = yield* ConnectorAddress
  const verdict = yield* (yield* UrlPolicy).check(url, { environment, organizationId: "client documents" })
  if (verdict.type !== "public") return yield* shown("client_document_unread")
  const request = {
    url,
    addresses: verdict.addresses,
    timeoutMs: CLIENT_DOCUMENT_TIMEOUT_MS,
    bytesMax: CLIENT_DOCUMENT_BYTES_MAX,
  }
  // Hosts are apart from each other, so that a slow one delays only its own clients.
  const owner: Owner = { environment, organizationId: `client documents at ${new URL(url).host}` }
  const answer = yield* besideDatabase(turns.soon(owner, http.get(request)))
  if (Option.isNone(answer)) return yield* shown("client_document_busy")
  const { clientName, redirectUris, keptMs } = yield* documentIn(answer.value, url, yield* Routine.nowMs)
  const allowed = yield* allowedRedirects
  // Others may be there for other services, such as a loopback of the user's machine.
  const usable = [...new Set(redirectUris)].filter((uri) => allowed.has(uri)).slice(0, REDIRECT_URIS_MAX)
  if (usable.length === 0) return yield* shown("client_document_redirects")
  return { clientName, redirectUris: usable, keptMs }
})

const allowedRedirects = Routine.flatMap(ClientRows, (rows) =>
  Routine.map(rows.redirects, (redirects) => new Set(redirects.map(({ redirectUri }) => redirectUri))),
)

const Document = Schema.Struct({
  client_name: ClientName,
  redirect_uris: Schema.NonEmptyArray(Schema.String),
  // Only public clients: any other method would need a check that this service does not make.
  token_endpoint_auth_method: optional(Schema.Literal("none")),
  grant_types: optional(
    Schema.Array(Schema.String).pipe(Schema.filter((types) => types.includes("authorization_code"))),
  ),
  response_types: optional(
    Schema.Array(Schema.String).pipe(Schema.filter((types) => types.includes("code"))),
  ),
})

const decode = Schema.decodeUnknownEither(Document)

function documentIn(answer: DocumentAnswer, url: string, nowMs: EpochMs) {
  if (answer.type === "unanswered" || answer.status !== 200) return shown("client_document_unread")
  if (answer.text === null) return shown("client_document_too_large")
  const document = isJsonType(answer.headers["content-type"]) ? jsonIn(answer.text) : undefined
  if (typeof document !== "object" || document === null) return shown("client_document_not_json")
  if (!("client_id" in document) || document.client_id !== url) return shown("client_document_other_id")
  const decoded = decode(document)
  if (Either.isLeft(decoded)) return shown("client_document_not_valid")
  const { client_name: name, redirect_uris: redirectUris } = decoded.right
  return Either.right({ clientName: name.trim(), redirectUris, keptMs: keptMsOf(answer.headers, nowMs) })
}

/** `application/json`, or a type that is built on it. Source: RFC 6839 §3.1. */
function isJsonType(type: string | undefined): boolean {
  return /^application\/(?:[^\s/;]+\+)?json\s*(?:;|$)/i.test(type ?? "")
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How long the headers let it be kept, within our bounds. Source: RFC 9111 §4.2. */
function keptMsOf(headers: Readonly<Record<string, string | undefined>>, nowMs: EpochMs): number {
  const { "cache-control": control = "", age = "0", expires } = headers
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,10})/i.exec(control)?.[1]
  const untilMs = expires === undefined ? Number.NaN : Date.parse(expires)
  const wanted = /(?:^|[\s,])no-(?:store|cache)(?:$|[\s,])/i.test(control)
    ? 0
    : maxAge === undefined
      ? untilMs - nowMs
      : (Number(maxAge) - Number(age)) * SECOND_MS
  const known = Number.isFinite(wanted) ? wanted : 0
  return Math.min(Math.max(known, CLIENT_DOCUMENT_KEPT_MS_MIN), CLIENT_DOCUMENT_KEPT_MS_MAX)
}

function shown(code: PageErrorCode): ShownError {
  return new ShownError({ code })
}

/** For operators, whom a client's makers will ask. */
function noteRefusal(url: string, code: PageErrorCode): Effect.Effect<void> {
  const line = Effect.logWarning("a client's metadata document was refused")
  return Effect.annotateLogs(line, { host: new URL(url).host, problem: code })
}
