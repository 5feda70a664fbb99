/** Linking's tables; the migrations make them, this file lets queries name them. See `schema.ts`. */

import { bigint, bigserial, boolean, integer, json, pgTable, text } from "drizzle-orm/pg-core"
import type { Token } from "../services/linking/rows.ts"

const ms = () => bigint({ mode: "number" })

/** A number is sealed; null once it was blanked. `phoneDigest` is keyed. */
export const linkedUsers = pgTable("linked_users", {
  userId: text().primaryKey(),
  number: bigserial({ mode: "number" }).notNull(),
  phoneDigest: text().notNull(),
  sealedPhone: text(),
  isEnabled: boolean().notNull(),
  enabledAtMs: ms().notNull(),
  disabledAtMs: ms(),
  linkedAtMs: ms(),
})

export const oauthClients = pgTable("oauth_clients", {
  clientId: text().primaryKey(),
  clientName: text().notNull(),
  redirectUris: json().$type<readonly string[]>().notNull(),
  createdAtMs: ms().notNull(),
  firstTokenAtMs: ms(),
})

/** Those that a client may register, to the letter. */
export const allowedRedirects = pgTable("allowed_redirects", {
  redirectUri: text().primaryKey(),
  number: bigserial({ mode: "number" }).notNull(),
  allowedAtMs: ms().notNull(),
})

/** A row while the connector is paused. */
export const connectorPause = pgTable("connector_pause", {
  id: text().$type<"connector">().primaryKey(),
  pausedAtMs: ms().notNull(),
})

/** A code's value is nowhere: `codeHash` is its SHA-256. */
export const oauthCodes = pgTable("oauth_codes", {
  codeHash: text().primaryKey(),
  requestId: text().notNull(),
  clientId: text().notNull(),
  userId: text().notNull(),
  redirectUri: text().notNull(),
  codeChallenge: text().notNull(),
  resource: text().notNull(),
  failures: integer().notNull(),
  familyId: text(),
  createdAtMs: ms().notNull(),
})

/** A token's value is nowhere: `tokenHash` is its SHA-256. */
export const oauthTokens = pgTable("oauth_tokens", {
  tokenHash: text().primaryKey(),
  kind: text().$type<Token["kind"]>().notNull(),
  familyId: text().notNull(),
  clientId: text().notNull(),
  userId: text().notNull(),
  resource: text().notNull(),
  createdAtMs: ms().notNull(),
  endsAtMs: ms().notNull(),
  revokedAtMs: ms(),
})

/** What counts in each bucket now; the instants themselves are for the statements that write them. */
export const linkingLimits = pgTable("linking_limits", {
  bucket: text().primaryKey(),
  isTaken: boolean().notNull(),
  endsAtMs: ms().notNull(),
})

/** Codes of the built-in verification, sealed. */
export const smsCodes = pgTable("sms_codes", {
  phoneDigest: text().primaryKey(),
  sealedCode: text().notNull(),
  createdAtMs: ms().notNull(),
})
