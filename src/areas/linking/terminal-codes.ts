/**
 * Authorization codes for terminals: a terminal has no address to which a browser could return, so its authorizations
 * end at a page of the service. When the person has compared the letters there, the terminal fetches the code by its
 * secret. What this protects from is in `src/cli/connect/README.md`.
 */

import { Effect } from "effect"
import { AUTHORIZATION_CODE_MS, TERMINAL_CODE_MS } from "../../model/values/limits.ts"
import type { FormParameters, SentParameters } from "../../model/values/form-parameters.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { networkOf } from "../../engine/services/rate-limits/network.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { takeOne } from "./attempt-limits.ts"
import { ConnectorAddress, issuerOf, terminalPageOf } from "./connector-address.ts"
import { GrantRows, TerminalCodeRows } from "./rows.ts"
import { hashOfSecret } from "./secrets.ts"
import { ShownError } from "./shown-error.ts"
import { handleOf, lettersOf } from "./terminal-letters.ts"
import { GrantRefused } from "./tokens.ts"

/** The page on which the person compares the letters. */
export interface TerminalStep {
  readonly letters: string
  readonly code: string
  readonly state: string
}

export class TerminalCodes extends service<TerminalCodes>()("TerminalCodes", () => ({
  open,
  confirm,
  fetch,
})) {}

/** The page for an authorization that has returned, from its address or its form. */
const open = Routine.fn(function* (sent: SentParameters) {
  const [code, state] = [onlyOne(sent, "code"), onlyOne(sent, "state")]
  if (!/^mcc_[\w-]{43}$/.test(code) || !isBase64Url(state)) {
    return yield* new ShownError({ code: "request_not_valid" })
  }
  const known = yield* (yield* GrantRows).code(hashOfSecret(code))
  const address = yield* ConnectorAddress
  const isOfHere = known?.redirectUri === terminalPageOf(address) && known.resource === issuerOf(address)
  if (known === null || !isOfHere || known.familyId !== null) {
    return yield* new ShownError({ code: "request_not_valid" })
  }
  if ((yield* Routine.nowMs) - known.createdAtMs > AUTHORIZATION_CODE_MS) {
    return yield* new ShownError({ code: "terminal_too_late" })
  }
  return { letters: lettersOf(state), code, state } satisfies TerminalStep
})

/** The person says that the letters are the same. The first code of a handle stays. */
const confirm = Routine.fn(function* (sent: SentParameters) {
  const { code, state: handle } = yield* open(sent)
  const host = yield* ActorHost
  const rows = yield* TerminalCodeRows
  yield* host.run({
    name: "keep a code for a terminal",
    locks: { key: lockOf(handle) },
    body: () =>
      Routine.flatMap(Transaction, ({ nowMs: createdAtMs }) => rows.keep({ handle, code, createdAtMs })),
  })
})

/** The code for the terminal with this secret, once; null while there is none. */
const fetch = Effect.fnUntraced(function* (form: FormParameters, address: string) {
  yield* takeOne("terminal-codes/address", networkOf(address))
  const secret = form.get("secret") ?? ""
  if (!isBase64Url(secret)) {
    const description = "secret must be 43 base64url characters"
    return yield* new GrantRefused({ error: "invalid_request", description })
  }
  const host = yield* ActorHost
  const rows = yield* TerminalCodeRows
  const handle = handleOf(secret)
  if ((yield* rows.code(handle)) === null) return { code: null }
  return yield* host.run({
    name: "fetch a code for a terminal",
    locks: { key: lockOf(handle) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const kept = yield* rows.code(handle)
      yield* rows.delete(handle)
      return { code: kept === null || nowMs - kept.createdAtMs > TERMINAL_CODE_MS ? null : kept.code }
    }),
  })
})

/** Empty when it was sent not at all or more than once. */
function onlyOne(sent: SentParameters, name: string): string {
  const [first, ...more] = sent.get(name) ?? []
  return first === undefined || more.length > 0 ? "" : first.text
}

/** 256 bits. */
function isBase64Url(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** Of two fetches of one code the second finds it gone. */
function lockOf(handle: string): string {
  return `linking/terminal/${handle}`
}
