/**
 * Runners and operators of a scenario: what `given` says of them, their shifts, and how they act. A shift begins when they sign in and ends
 * when they sign out, by the services that a phone and a browser use; these services also refuse who is not signed in, has no right,
 * or works at another site (src/DECISIONS.md §312).
 */

import { Effect } from "effect"
import { hashOf } from "../../http/access/bearer.ts"
import { OperatorTokens } from "../../http/access/operator-tokens.ts"
import { DELIVERY_SITE_ID } from "./language/delivery-world.ts"
import { deliveryRowOf, vehicleIdOf } from "./direct-delivery/do-delivery.ts"
import { RunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import type { Operator, OperatorRole } from "../../model/caller.ts"
import { SESSION_REFUSALS } from "../../model/values/errors.ts"
import type { Refused, SessionRefusalCode, TurnedAway } from "../../model/values/errors.ts"
import { RUNNER_SHIFT_MS } from "../../model/values/limits.ts"
import { PHONE_OPERATIONS } from "../../model/requests/runner-moves.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { requireRight, rightOf } from "../../apps/operations/permitted.ts"
import { OperatorActions, actorOf } from "../../apps/operators/actions.ts"
import { requireOperator } from "../../apps/operators/credentials.ts"
import { OperatorSessions } from "../../apps/operators/operator-sessions.ts"
import { PhoneTasks } from "../../apps/runner/phone-tasks.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { AdmissionRefused } from "./callers.ts"
import type { CommandStep } from "./command-step.ts"
import { DO_OPERATION } from "./operations.ts"
import { answerByPhone, calledIdOf } from "./do-runner-call.ts"
import { textIfGiven, timeIfGiven } from "./language/field-values.ts"
import { readGivenList } from "./language/given-list.ts"
import { COMMANDS } from "./language/language.ts"
import type { CommandWord, FieldValues, GivenCaller, Pause, TimeRef } from "./language/language.ts"
import { OPERATOR_FIELDS, PERSON_CALLS, RUNNER_FIELDS } from "./language/people-words.ts"
import type { NamedPerson, PersonCall } from "./language/people-words.ts"
import type { Span } from "./language/problems.ts"
import type { RunContext } from "./run-context.ts"
import { showDuration } from "./language/shown-duration.ts"
import type { Written, WrittenMap } from "./language/source.ts"
import type { ValueContext } from "./language/value.ts"
import { siteIdOf } from "./language/worlds.ts"

/** The lists of `given` that name people. */
export const PEOPLE_LISTS = {
  runners: {
    fields: RUNNER_FIELDS,
    one: "a runner such as { as: ana, from: 11:00, to: 14:00 }",
    says: "runners with a phone of the site, which is signed in during their shift: a list",
  },
  operators: {
    fields: OPERATOR_FIELDS,
    one: "an operator such as { as: olga, role: dispatcher }",
    says: "operators, who are signed in during their shift: a list",
  },
} as const

/** Reads a list of runners or of operators. */
export function readPeople(
  list: keyof typeof PEOPLE_LISTS,
  value: Written | undefined,
  context: ValueContext,
): readonly GivenCaller[] {
  return readGivenList(
    { name: list, kind: "person", ...PEOPLE_LISTS[list], check: checkShift },
    value,
    context,
  )
}

/** Milliseconds from the midnight before the scenario's start. */
function dayMsOf(time: TimeRef): number {
  return time.type === "clock" ? time.dayOffset * DAY_MS + time.msOfDay : 0
}

function checkShift({ fields }: GivenCaller, map: WrittenMap, { report }: ValueContext): void {
  const spanOf = (key: string): Span => map.entries.find((entry) => entry.key === key)?.value.span ?? map.span
  const breaks = breaksOf(fields)
  const times = { from: timeIfGiven(fields, "from"), to: timeIfGiven(fields, "to") }
  const written = [
    ...Object.entries(times),
    ...breaks.flatMap((one) => Object.values(one).map((time) => ["breaks", time] as const)),
  ]
  const offset = written.find(([, time]) => time?.type === "offset")
  if (offset !== undefined) {
    report(spanOf(offset[0]), "a shift has times of the site's clock", {
      expected: "a time such as 11:30 or tomorrow 02:00",
    })
    return
  }
  const fromMs = times.from === undefined ? -Infinity : dayMsOf(times.from)
  const toMs = times.to === undefined ? Infinity : dayMsOf(times.to)
  if (toMs <= fromMs) {
    report(spanOf("to"), "the shift ends before it begins", {
      help: `the next day is "tomorrow ${shownClock(toMs)}"`,
    })
    return
  }
  if (Number.isFinite(toMs - fromMs) && toMs - fromMs > RUNNER_SHIFT_MS) {
    report(spanOf("to"), `the shift lasts ${showDuration(toMs - fromMs)}`, {
      expected: `at most ${showDuration(RUNNER_SHIFT_MS)}, as a session does`,
    })
  }
  for (const [at, one] of breaks.entries()) {
    const [beginsMs, endsMs] = [dayMsOf(one.from), dayMsOf(one.to)]
    if (endsMs <= beginsMs) report(spanOf("breaks"), "a break ends before it begins")
    else if (beginsMs < fromMs || endsMs > toMs) report(spanOf("breaks"), "a break is outside of its shift")
    else if (
      breaks.some(
        (other, before) => before < at && beginsMs < dayMsOf(other.to) && dayMsOf(other.from) < endsMs,
      )
    )
      report(spanOf("breaks"), "two breaks of a shift overlap")
  }
}

/** A time of day as scenarios write it. */
function shownClock(ms: number): string {
  return new Date(((ms % DAY_MS) + DAY_MS) % DAY_MS).toISOString().slice(11, 16)
}

function breaksOf(fields: FieldValues): readonly Pause[] {
  return (fields["breaks"] as readonly Pause[] | undefined) ?? []
}

/** People before the first step. Who is on shift then has signed in; the others do when their time comes. */
export const addPeople = Effect.fnUntraced(function* (run: RunContext) {
  const { runners = [], operators = [] } = run.scenario
  for (const given of runners) yield* addPerson(run, given, yield* runnerSessions(run, given))
  for (const given of operators) yield* addPerson(run, given, yield* operatorSessions(run, given))
  // The waits of the shifts begin before those of the steps: at 12:00, a shift that ends then is over for a step.
  if (runners.length + operators.length > 0) yield* Effect.yieldNow()
})

/** How a person signs in and out. */
interface Sessions {
  readonly kind: NamedPerson["kind"]
  /** Of a shift before the scenario; null when a call without a session is the same. */
  readonly earlier: string | null
  readonly signIn: Effect.Effect<string, never, SimulatedServices>
  readonly signOut: (session: string) => Effect.Effect<unknown, never, SimulatedServices>
}

const addPerson = Effect.fnUntraced(function* (
  run: RunContext,
  { as, fields }: GivenCaller,
  sessions: Sessions,
) {
  const isKnown = fields["known"] !== false
  const person: NamedPerson = { kind: sessions.kind, session: isKnown ? sessions.earlier : null }
  run.people.set(as, person)
  if (!isKnown) return
  const signIn = Effect.map(sessions.signIn, (session) => {
    person.session = session
  })
  const signOut = Effect.suspend(() =>
    person.session === null ? Effect.void : sessions.signOut(person.session),
  )
  for (const { fromMs, toMs } of stretchesOf(run, fields)) {
    if (fromMs <= run.nowMs) yield* signIn
    else yield* laterAt(run, fromMs, signIn)
    if (Number.isFinite(toMs)) yield* laterAt(run, toMs, signOut)
  }
})

/** Ends with the steps of the scenario. */
function laterAt<A>(run: RunContext, atMs: EpochMs, act: Effect.Effect<A, never, SimulatedServices>) {
  return Effect.fork(Effect.zipRight(Effect.sleep(atMs - run.nowMs), act))
}

/** A part of a shift without a break. */
interface Stretch {
  readonly fromMs: EpochMs
  /** Infinity without an end. */
  readonly toMs: EpochMs
}

/** The shift without its breaks, and without what is over at the start. */
function stretchesOf(run: RunContext, fields: FieldValues): readonly Stretch[] {
  const { startMs } = run.clock
  const msOf = (time: TimeRef): EpochMs => run.clock.resolve(time, startMs)
  const from = timeIfGiven(fields, "from")
  const to = timeIfGiven(fields, "to")
  const toMs = to === undefined ? Infinity : msOf(to)
  const pauses = breaksOf(fields)
    .map((one) => ({ fromMs: msOf(one.from), toMs: msOf(one.to) }))
    .toSorted((one, other) => one.fromMs - other.fromMs)
  const begins = [from === undefined ? startMs : msOf(from), ...pauses.map((pause) => pause.toMs)]
  const ends = [...pauses.map((pause) => pause.fromMs), toMs]
  return begins
    .map((fromMs, at) => ({ fromMs, toMs: ends[at] ?? toMs }))
    .filter((stretch) => stretch.toMs > Math.max(stretch.fromMs, run.nowMs))
}

const runnerSessions = Effect.fnUntraced(function* (run: RunContext, { as, fields }: GivenCaller) {
  const phones = yield* RunnerPhones
  const { environment } = run.scenario
  const siteId = siteIdOf(run, textIfGiven(fields, "site"))
  return {
    kind: "runner",
    earlier: null,
    signIn: Effect.gen(function* () {
      const made = yield* phones.makePairing(run.operations, siteId, { runner_name: as, runner_id: as })
      return (yield* phones.pair(environment, made.code)).token
    }).pipe(Effect.orDie),
    // A phone whose session ended by itself needs no sign-out.
    signOut: (token) => Effect.ignore(Effect.flatMap(phones.phoneOf(environment, token), phones.signOut)),
  } satisfies Sessions
})

const operatorSessions = Effect.fnUntraced(function* (run: RunContext, { as, fields }: GivenCaller) {
  const sessions = yield* OperatorSessions
  const { environment } = run.scenario
  const role = (textIfGiven(fields, "role") ?? OPERATOR_FIELDS.role.usual) as OperatorRole
  const site = textIfGiven(fields, "site") ?? OPERATOR_FIELDS.site.usual
  const siteIds =
    site === "everywhere" ? null : [siteIdOf(run, site), ...(site === "here" ? [DELIVERY_SITE_ID] : [])]
  const { value } = yield* (yield* OperatorTokens).make({
    environment,
    label: as,
    role,
    siteIds,
  })
  return {
    kind: "operator",
    earlier: hashOf(`earlier session of ${as}`),
    // Each has an address of their own, because sign-ins are limited by address.
    signIn: Effect.map(
      Effect.orDie(sessions.signIn({ environment, value, address: `192.0.2.${run.people.size % 256}` })),
      ({ session }) => session,
    ),
    signOut: sessions.signOut,
  } satisfies Sessions
})

interface Acting<E> {
  readonly person: NamedPerson
  readonly doCommand: (run: RunContext, step: CommandStep) => Effect.Effect<unknown, E, SimulatedServices>
}

/** Runs a step as a person: as a runner by the phone, as an operator by the operations API. */
export function doByPerson<E>(
  run: RunContext,
  step: CommandStep,
  { person, doCommand }: Acting<E>,
): Effect.Effect<unknown, AdmissionRefused | E | Refused, SimulatedServices> {
  const call = PERSON_CALLS[step.command]
  if (call === undefined) return Effect.dieMessage(`no person does ${step.command}`)
  if (step.command === "runners.answer") return answer(run, step, person)
  if (person.kind === "runner" && call.move !== null)
    return moveByPhone(run, step, { person, move: call.move })
  return operate(run, step, { person, doCommand, operation: call.operation })
}

interface Moving {
  readonly person: NamedPerson
  readonly move: NonNullable<PersonCall["move"]>
}

/** An operator has no phone, so that the session of one is asked for. */
const answer = Effect.fnUntraced(function* (
  run: RunContext,
  step: CommandStep,
  { kind, session }: NamedPerson,
) {
  const { environment } = run.scenario
  const phone = yield* signedIn(
    Effect.flatMap(RunnerPhones, (phones) => phones.phoneOf(environment, kind === "runner" ? session : null)),
  )
  return yield* answerByPhone(run, step, phone)
})

const moveByPhone = Effect.fnUntraced(function* (
  run: RunContext,
  step: CommandStep,
  { person, move }: Moving,
) {
  const { environment } = run.scenario
  const phone = yield* signedIn(
    Effect.flatMap(RunnerPhones, (phones) => phones.phoneOf(environment, person.session)),
  )
  // Every move of a phone is one.
  const command = DO_OPERATION[step.command as keyof typeof DO_OPERATION]
  run.toolCalls += 1
  const asked = {
    reservationId: idOf(run, step),
    move,
    operationId: PHONE_OPERATIONS[move],
    key: `${step.by}-${run.toolCalls}`,
    phoneAtMs: run.nowMs,
  }
  // The phone's runner takes a task, whatever the step says.
  const own = { ...step, with: { ...step.with, ...(move === "runner" ? { runner: phone.runnerId } : {}) } }
  return yield* (yield* PhoneTasks).move(phone, asked, (caller) => command(asOperator(run, caller), own))
})

function operate<E>(
  run: RunContext,
  step: CommandStep,
  { person, doCommand, operation }: Acting<E> & { readonly operation: string },
): Effect.Effect<unknown, AdmissionRefused | E | Refused, SimulatedServices> {
  return Effect.gen(function* () {
    const { environment } = run.scenario
    // The session of a phone is none of the operations API.
    const session = person.kind === "runner" ? null : person.session
    const operator = yield* signedIn(requireOperator({ environment, authorization: undefined, session }))
    const subjectId = idOf(run, step)
    const named = {
      id: subjectId,
      idIn: (field: string) => Effect.dieMessage(`${operation} has no field ${field} here`),
    }
    const doing = { environment, ...actorOf(operator), action: operation, subjectId }
    const asked = Effect.zipRight(
      requireRight(rightOf(operation), operator, named),
      Effect.suspend(() => doCommand(asOperator(run, operator), step)),
    )
    return yield* (yield* OperatorActions).noting(doing, asked)
  })
}

function signedIn<A, E, R>(effect: Effect.Effect<A, E | TurnedAway, R>) {
  return Effect.catchIf(effect, isTurnedAway, (turned) =>
    isSessionRefusal(turned.code)
      ? Effect.fail(new AdmissionRefused({ code: turned.code, retryAfterSeconds: null }))
      : Effect.die(turned),
  )
}

function isTurnedAway(failure: unknown): failure is TurnedAway {
  return typeof failure === "object" && failure !== null && "_tag" in failure && failure._tag === "TurnedAway"
}

function isSessionRefusal(code: string): code is SessionRefusalCode {
  return Object.hasOwn(SESSION_REFUSALS, code)
}

/** The same run with this operator in place of operations. */
function asOperator(run: RunContext, caller: Operator): RunContext {
  return Object.assign(Object.create(run) as RunContext, { operations: caller })
}

/** The id of what the step is about; empty for a name whose own command was refused, which exists nowhere. */
function idOf(run: RunContext, step: CommandStep): string {
  if (step.command === "runners.call" || step.command === "runners.withdraw") return calledIdOf(run, step)
  const { for: kind }: CommandWord = COMMANDS[step.command]
  const name = step.for ?? ""
  switch (kind) {
    case "reservation":
      return run.reservationId(name) ?? ""
    case "delivery":
      return deliveryRowOf(run, name)?.deliveryId ?? ""
    case "errand":
      return run.errandIds.get(name) ?? ""
    case "vehicle":
      return vehicleIdOf(name)
    default:
      return ""
  }
}
