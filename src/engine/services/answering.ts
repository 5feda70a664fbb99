/**
 * How the requests of a routine (routine.ts) are answered: by a host, without a fiber, from what an `Answering` has; or in a fiber, which
 * makes an `Answering` of its own ports, clock and references.
 */

import { Cause, Context, Effect, Effectable, Either, Exit, FiberId, Option, Runtime } from "effect"
import type { Clock, FiberRefs } from "effect"
import { SingleShotGen, YieldWrap, yieldWrapGet } from "effect/Utils"
import { Later, isLater, onAnswer } from "./later.ts"
import type { MaybeLater } from "./later.ts"

/** What a routine is answered from. */
export interface Answering {
  /** The ports of the host or the fiber. */
  readonly services: Context.Context<never>
  /** Ports of this call, which hide those of the host. */
  readonly added?: AddedPort | undefined
  readonly clock: Clock.Clock
  /** Values of the fiber that called the host. */
  readonly refs: FiberRefs.FiberRefs
  /** Set where a read takes a round trip and a transaction keeps what it read. */
  readonly readsAhead?: true
  /** Aborted when the caller needs no answer: what waits for the outside ends then, and nothing more begins. */
  readonly signal?: AbortSignal | undefined
  /** Runs an Effect that is no routine. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, at: Answering) => MaybeLater<Exit.Exit<A, E>>
}

/** A port in front of others: cheaper than a copy of a context of about a hundred ports for each transaction. */
export interface AddedPort {
  readonly key: string
  readonly port: unknown
  readonly before: AddedPort | undefined
}

/** Ends a routine with an expected failure. Thrown, and caught by `exitOf` or by a routine that handles failures. */
export class Failed extends Error {
  readonly error: unknown

  constructor(error: unknown) {
    super("a routine failed as its caller expects")
    this.error = error
  }
}

/** A request, or a sequence of requests. A kind that is made at every turn is a class, which takes less memory than closures. */
export abstract class Answerable<out A, out E = never, out R = never> extends Effectable.Class<A, E, R> {
  /** Throws `Failed` for an expected failure, and anything else for a defect; its promise rejects with the same. */
  abstract answer(at: Answering): MaybeLater<A>

  /** In a fiber. */
  commit(): Effect.Effect<A, E, R> {
    return inThisFiber(this)
  }

  /** Typed as a routine, which a body may request as an Effect may not. */
  override [Symbol.iterator](): Effect.EffectGenerator<Answerable<A, E, R>> {
    return new SingleShotGen(new YieldWrap(this)) as never
  }
}

/** An absent port fails with Effect's own message. */
function portOf<I, S>(at: Answering, tag: Context.Tag<I, S>): S {
  return portIn(at, tag) ?? Context.unsafeGet(at.services as Context.Context<I>, tag)
}

/** The port; undefined where there is none. */
export function portIn<I, S>({ added, services }: Answering, { key }: Context.Tag<I, S>): S | undefined {
  for (let one = added; one !== undefined; one = one.before) if (one.key === key) return one.port as S
  return services.unsafeMap.get(key) as S | undefined
}

/** With one more port. */
export function withPort<I, S>(at: Answering, { key }: Context.Tag<I, S>, port: S): Answering {
  return { ...at, added: { key, port, before: at.added } }
}

/** All ports in one context. */
export function portsOf({ added, services }: Answering): Context.Context<never> {
  if (added === undefined) return services
  const ports = new Map(services.unsafeMap)
  const inOrder: AddedPort[] = []
  for (let one: AddedPort | undefined = added; one !== undefined; one = one.before) inOrder.push(one)
  for (const { key, port } of inOrder.toReversed()) ports.set(key, port)
  return Context.unsafeMake(ports)
}

/** The end of an answer: a value, an expected failure, or a defect. */
export function exitOf<A, E>(answer: () => MaybeLater<A>): MaybeLater<Exit.Exit<A, E>> {
  try {
    return onAnswer(answer(), Exit.succeed, failedExit)
  } catch (thrown) {
    return failedExit(thrown)
  }
}

function failedExit(thrown: unknown): Exit.Exit<never> {
  if (Cause.isInterruptedException(thrown)) return Exit.interrupt(FiberId.none)
  return thrown instanceof Failed ? Exit.fail(thrown.error as never) : Exit.die(thrown)
}

/** The answer to a request; it throws as `Answerable.answer` does. */
export function answerTo<A, E, R>(request: Effect.Effect<A, E, R>, at: Answering): MaybeLater<A> {
  if (request instanceof Answerable) return request.answer(at) as MaybeLater<A>
  if (Context.isTag(request)) return portOf(at, request) as A
  if (Exit.isExit(request)) return valueOf(request) as A
  if (Either.isEither(request)) return valueOfEither(request) as A
  // An error that is yielded, such as `Refused`.
  if (request instanceof Error) throw new Failed(request)
  return onAnswer(at.run(request as Effect.Effect<A, E>, at), valueOf)
}

/**
 * The answers to requests that do not depend on each other: all begin before the first is awaited, and all have ended when this
 * fails with the first failure.
 */
export function answersTo<A, E, R>(
  requests: readonly Effect.Effect<A, E, R>[],
  at: Answering,
): MaybeLater<A[]> {
  const exits = requests.map((request) => exitOf<A, E>(() => answerTo(request, at)))
  return exits.some(isLater) ? allOf(exits).then(valuesOf) : valuesOf(exits as Exit.Exit<A, E>[])
}

function valuesOf<A>(exits: readonly Exit.Exit<A, unknown>[]): A[] {
  return exits.map(valueOf)
}

/** None of them rejects. */
function allOf<A>(answers: readonly MaybeLater<A>[]): PromiseLike<A[]> {
  return new Later((resolve) => {
    const values: A[] = []
    let missing = answers.length
    for (const [at, answer] of answers.entries()) {
      onAnswer(answer, (value) => {
        values[at] = value
        missing -= 1
        if (missing === 0) resolve(values)
      })
    }
  })
}

export function valueOfEither<A>(result: Either.Either<A, unknown>): A {
  if (Either.isLeft(result)) throw new Failed(result.left)
  return result.right
}

export function valueOf<A>(exit: Exit.Exit<A, unknown>): A {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  throw Option.isSome(failure) ? new Failed(failure.value) : Cause.squash(exit.cause)
}

/** What a routine may yield: routines, ports, results and errors. An Effect that may wait is no request. */
type Request =
  | Answerable<unknown, unknown, unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- A tag's types are invariant: this is any port.
  | Context.Tag<any, any>
  | Either.Either<unknown, unknown>
  | Exit.Exit<unknown, unknown>
  | YieldedError
/** The type of `yield* new Refused(…)`. */
type YieldedError = Effect.Effect<never, unknown>
export type Yielded = YieldWrap<Request>
export type ErrorOf<Y> = [Y] extends [never]
  ? never
  : [Y] extends [YieldWrap<Effect.Effect<unknown, infer E, unknown>>]
    ? E
    : never
export type PortsOf<Y> = [Y] extends [never]
  ? never
  : [Y] extends [YieldWrap<Effect.Effect<unknown, unknown, infer R>>]
    ? R
    : never

/** Of a body; one that needs more takes an object. */
export type Arguments = [first?: unknown, second?: unknown, third?: unknown]

/**
 * A generator of requests. Each run begins a new one, because a transaction may run its body again. Its arguments are fields,
 * because a list of them would be two more objects.
 */
export class Body<Y extends Yielded, A> extends Answerable<A, ErrorOf<Y>, PortsOf<Y>> {
  readonly #body: (...args: Arguments) => Generator<Y, A, never>
  readonly #first: unknown
  readonly #second: unknown
  readonly #third: unknown

  constructor(
    body: (...args: Arguments) => Generator<Y, A, never>,
    first?: unknown,
    second?: unknown,
    third?: unknown,
  ) {
    super()
    this.#body = body
    this.#first = first
    this.#second = second
    this.#third = third
  }

  answer(at: Answering): MaybeLater<A> {
    return resumed(this.#body(this.#first, this.#second, this.#third), undefined, at)
  }
}

/** Goes on with the answer to the last request, or begins. */
function resumed<Y extends Yielded, A>(
  requests: Generator<Y, A, never>,
  last: unknown,
  at: Answering,
): MaybeLater<A> {
  let next = requests.next(last as never)
  while (next.done !== true) {
    const answer: unknown = answerTo(yieldWrapGet(next.value), at)
    if (isLater(answer)) return answer.then((value) => resumed(requests, value, requireWanted(at)))
    next = requests.next(answer as never)
  }
  return next.value
}

/** Nothing more begins for a caller that needs no answer. */
export function requireWanted(at: Answering): Answering {
  if (at.signal?.aborted === true) throw new Cause.InterruptedException()
  return at
}

/** Runs an Effect in a fiber. Waits only if the Effect does. Nothing begins after an abort. */
export const inFiber: Answering["run"] = (effect, at) => {
  const { clock, refs, signal } = at
  if (signal?.aborted === true) return Exit.interrupt(FiberId.none)
  const runtime = Runtime.make({
    context: portsOf(at),
    fiberRefs: refs,
    runtimeFlags: Runtime.defaultRuntimeFlags,
  })
  const fiber = Runtime.runFork(runtime)(Effect.withClock(effect, clock), { immediate: true })
  const ended = fiber.unsafePoll()
  if (ended !== null) return ended
  const interrupt = (): void => fiber.unsafeInterruptAsFork(FiberId.none)
  signal?.addEventListener("abort", interrupt)
  return new Later((resolve) => {
    fiber.addObserver((exit) => {
      signal?.removeEventListener("abort", interrupt)
      resolve(exit)
    })
  })
}

/** What a fiber gives to a routine that it runs without another one. */
export const answeringHere: Effect.Effect<Answering> = Effect.map(
  Effect.all([Effect.context<never>(), Effect.clock, Effect.getFiberRefs]),
  ([services, clock, refs]) => ({ services, clock, refs, run: inFiber }),
)

/** An interruption of the fiber ends what waits for the outside, and waits until the routine has ended. */
function inThisFiber<A, E, R>(routine: Answerable<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.flatMap(answeringHere, (at) => {
    const abort = new AbortController()
    const answer = exitOf<A, E>(() => routine.answer({ ...at, signal: abort.signal }))
    if (!isLater(answer)) return answer
    return Effect.async<A, E>((resume) => {
      void answer.then(resume)
      return Effect.async<void>((ended) => {
        abort.abort()
        void answer.then(() => ended(Effect.void))
      })
    })
  })
}
