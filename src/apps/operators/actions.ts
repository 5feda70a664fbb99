/**
 * Who did what at the pages of operations, of runners and of waiting customers, as an audit log: every change over the operations
 * API and in the inspector, every action of a runner's phone, and every try to open a compartment, with its outcome. A line is
 * never changed, has ids only, and is deleted after a year. Names are looked up when it is read.
 */

import { Context, Effect, Layer } from "effect"
import { AccessRows } from "../../http/access/rows.ts"
import { OperatorRows } from "../../http/access/operator-tokens.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import type { Environment, Operator } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { KEEP_AUDIT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { withNote } from "../../engine/services/command-notes.ts"
import type { CommandNote } from "../../engine/services/command-notes.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { atLeast, below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { OperatorAccountRows } from "./rows.ts"

export const OPERATOR_ACTORS = ["account", "customer", "phone", "token"] as const

export type OperatorActor = (typeof OPERATOR_ACTORS)[number]

export const operatorActions = table("operator_actions", {
  one: "an action of an operator",
  many: "actions of operators",
  columns: {
    number: serial(),
    environment: choice<Environment>(),
    atMs: epochMs(),
    actorType: choice<OperatorActor>(),
    /** Of a customer, the delivery. Null: one that is not known, at a sign-in or a pairing that failed. */
    actorId: text().nullable(),
    /** The operation's id. */
    action: text(),
    /** The id of what the request names. */
    subjectId: text().nullable(),
    /** `done`, or the code of the refusal. */
    outcome: text(),
  },
  key: ["number"],
  retention: { from: "atMs", keepMs: KEEP_AUDIT_MS },
  indexes: [
    { name: "operator_actions_newest", by: ["environment", "number"] },
    { name: "operator_actions_actor", by: ["environment", "actorId", "number"] },
    { name: "operator_actions_age", by: ["atMs"] },
  ],
})

export type OperatorAction = RowOf<typeof operatorActions>

export interface ActionQuery {
  readonly environment: Environment
  readonly actorId: string | null
  readonly action: string | null
  readonly fromMs: EpochMs | null
  readonly toMs: EpochMs | null
  readonly beforeNumber: number | null
  readonly limit: number
}

export class OperatorActionRows extends repository<OperatorActionRows>()(
  "OperatorActionRows",
  Effect.map(Tables, (tables) => {
    const actions = tables.of(operatorActions)
    return {
      append: actions.insert,
      /** Newest first. */
      list: ({ environment, actorId, action, fromMs, toMs, beforeNumber, limit }: ActionQuery) =>
        actions.list(
          {
            environment,
            actorId: ifGiven(actorId, (id) => id),
            action: ifGiven(action, (name) => name),
            atMs: [ifGiven(fromMs, atLeast), ifGiven(toMs, below)],
            number: ifGiven(beforeNumber, below),
          },
          { order: [descending("number")], limit },
        ),
      purge: purgeOf(operatorActions, actions),
    }
  }),
) {}

/** With the name of the account or the runner, or the label of the token; its id where there is none. */
export type ShownAction = OperatorAction & {
  readonly actor: string
  /** The same of an account or token that the line is about, and of an organization; null for anything else. */
  readonly subject: string | null
}

export class OperatorActions extends Context.Tag("OperatorActions")<
  OperatorActions,
  {
    /**
     * Runs a request and notes it: in the transaction of its first command, or after it when it has none. A refusal is
     * noted with its code.
     */
    readonly noting: <A, E, R>(
      action: NewAction,
      effect: Effect.Effect<A, E, R>,
      options?: NotingOptions,
    ) => Effect.Effect<A, E, R>
    readonly list: (query: ActionQuery) => Routine<readonly ShownAction[]>
    /** The name of the account or the label of the token; "Operations" where there is neither. */
    readonly nameOf: (caller: Operator) => Routine<string>
    /** Of the account or token with this id; null when there is none. */
    readonly nameOfId: (environment: Environment, id: string) => Routine<string | null>
  }
>() {}

/** The outcome follows. */
export type NewAction = Omit<OperatorAction, "atMs" | "number" | "outcome">

export interface NotingOptions {
  /** Another note in the same transaction. */
  readonly more?: CommandNote | null
  /** The outcome by what the command returned; absent: the code of a refusal that was committed, else `done`. */
  readonly outcomeOf?: (result: unknown) => string
}

/** Who acts, as the caller of the operations API. */
export function actorOf({ accountId, tokenId }: Operator): Pick<NewAction, "actorId" | "actorType"> {
  return { actorType: accountId === undefined ? "token" : "account", actorId: accountId ?? tokenId ?? null }
}

type Needs =
  AccessRows | ActorHost | OperatorAccountRows | OperatorActionRows | OperatorRows | RunnerPhoneRows

export const layerOperatorActions: Layer.Layer<OperatorActions, never, Needs> = Layer.effect(
  OperatorActions,
  Effect.map(Effect.context<Needs>(), (context): OperatorActions["Type"] => ({
    noting: (action, effect, options = {}) => noting(action, effect, { ...options, context }),
    list: (query) => provided(list(query), context),
    nameOf: ({ environment, accountId, tokenId }) =>
      Routine.map(
        provided(namesIn(environment), context),
        (names) => names.get(accountId ?? tokenId ?? "") ?? "Operations",
      ),
    nameOfId: (environment, id) =>
      Routine.map(provided(namesIn(environment), context), (names) => names.get(id) ?? null),
  })),
)

function noting<A, E, R>(
  action: NewAction,
  effect: Effect.Effect<A, E, R>,
  {
    more = null,
    outcomeOf = outcomeIn,
    context,
  }: NotingOptions & { readonly context: Context.Context<Needs> },
): Effect.Effect<A, E, R> {
  return Routine.suspend(() => {
    let written: string | null = null
    const write = (outcome: string) => provided(append(action, outcome), context)
    const alone = (outcome: string) =>
      provided(
        Routine.flatMap(ActorHost, (host) =>
          host.run({ name: "note an operator's action", locks: {}, body: () => write(outcome) }),
        ),
        context,
      )
    const note: CommandNote = {
      command: more?.command ?? null,
      write: (result) =>
        Routine.gen(function* () {
          const id = idIn(result)
          const actorId = action.actorId ?? id
          const subjectId = action.subjectId ?? (id === actorId ? null : id)
          const outcome = outcomeOf(result)
          yield* provided(append({ ...action, actorId, subjectId }, outcome), context)
          written = outcome
          if (more !== null) yield* more.write(result)
        }),
    }
    return withNote(effect, note).pipe(
      Effect.tap(() => Effect.unless(alone(DONE), () => written !== null)),
      // A refusal that was committed has its line.
      Effect.tapError((failure) => Effect.unless(alone(codeOf(failure)), () => written === codeOf(failure))),
    )
  })
}

/** The first id in the result of a command, which a request that makes something does not name. */
function idIn(result: unknown): string | null {
  const parts = typeof result === "object" && result !== null ? [result, ...Object.values(result)] : []
  const ids = parts.flatMap((part: unknown) =>
    typeof part === "object" && part !== null
      ? Object.entries(part).filter(([name]) => /(?:^id|Id|_id)$/.test(name))
      : [],
  )
  const found: unknown = ids[0]?.[1]
  return typeof found === "string" && /^[\w.:-]{1,100}$/.test(found) ? found : null
}

export const DONE = "done"

function outcomeIn(result: unknown): string {
  const { type, code } = (result ?? {}) as { readonly type?: unknown; readonly code?: unknown }
  return type === "refused" && typeof code === "string" ? code : DONE
}

/** Also of attempts that were limited. */
function codeOf(failure: unknown): string {
  return failure instanceof Refused || failure instanceof TurnedAway ? failure.code : "RATE_LIMITED"
}

const append = Routine.fn(function* (action: NewAction, outcome: string) {
  const rows = yield* OperatorActionRows
  yield* rows.append({ ...action, outcome, atMs: yield* realNowMs })
})

const list = Routine.fn(function* (query: ActionQuery) {
  const found = yield* (yield* OperatorActionRows).list(query)
  const phones = new Set(
    found.flatMap(({ actorType, actorId }) => (actorType === "phone" && actorId !== null ? [actorId] : [])),
  )
  const paired = yield* Routine.forEach(phones, (phoneId) =>
    Routine.flatMap(RunnerPhoneRows, (rows) => rows.phone(phoneId)),
  )
  const organizations = yield* (yield* AccessRows).organizations
  const names = new Map([
    ...organizations.map(({ organizationId, name }) => [organizationId, name] as const),
    ...paired.flatMap((phone) => (phone === null ? [] : [[phone.phoneId, phone.runnerName] as const])),
    ...(yield* namesIn(query.environment)),
  ])
  return found.map((action) => ({
    ...action,
    actor:
      action.actorType === "customer"
        ? "The customer"
        : (names.get(action.actorId ?? "") ?? action.actorId ?? "unknown"),
    subject: names.get(action.subjectId ?? "") ?? null,
  }))
})

/** Of accounts and tokens, by their ids. */
const namesIn = Routine.fn(function* (environment: Environment) {
  const accounts = yield* (yield* OperatorAccountRows).accounts
  const tokens = yield* (yield* OperatorRows).tokens(environment)
  return new Map([
    ...accounts.map(({ accountId, name }) => [accountId, name] as const),
    ...tokens.map(({ tokenId, label }) => [tokenId, label] as const),
  ])
})
