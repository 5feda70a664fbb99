/**
 * Routines: what commands, repositories and observers are made of. A routine makes requests: it reads rows and groups, runs turns,
 * writes rows, uses ports, or refuses. It cannot sleep, and waits for nothing but its database. A host runs it without a fiber
 * (`answerTo`): in memory every request is answered at once. Everywhere else a routine is an Effect, so programs that wait for
 * the outside use the same services.
 */

import { Cause, Either, Exit, FiberId, FiberRefs, Option } from "effect"
import type { Clock, Context, Effect, FiberRef } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import {
  Answerable,
  Body,
  Failed,
  answerTo,
  exitOf,
  portIn,
  portsOf,
  requireWanted,
  valueOf,
  valueOfEither,
  withPort,
} from "./answering.ts"
import type { Answering, Arguments, ErrorOf, PortsOf, Yielded } from "./answering.ts"
import { isLater, onAnswer } from "./later.ts"
import type { MaybeLater } from "./later.ts"

export type Routine<A, E = never, R = never> = Answerable<A, E, R>

export function isRoutine<A, E, R>(one: Effect.Effect<A, E, R>): one is Routine<A, E, R> {
  return one instanceof Answerable
}

/** Answered by a function. */
class Step<A, E, R> extends Answerable<A, E, R> {
  readonly #answer: (at: Answering) => MaybeLater<A>

  constructor(answer: (at: Answering) => MaybeLater<A>) {
    super()
    this.#answer = answer
  }

  answer(at: Answering): MaybeLater<A> {
    return this.#answer(at)
  }
}

class Value<A> extends Answerable<A> {
  readonly #value: A

  constructor(value: A) {
    super()
    this.#value = value
  }

  answer(): A {
    return this.#value
  }
}

class Computed<A> extends Answerable<A> {
  readonly #compute: () => A

  constructor(compute: () => A) {
    super()
    this.#compute = compute
  }

  answer(): A {
    return this.#compute()
  }
}

/** A function and its arguments, which take half the memory of a closure over them. */
class Called<First, Second, A> extends Answerable<A> {
  readonly #compute: (first: First, second: Second) => A
  readonly #first: First
  readonly #second: Second

  constructor(compute: (first: First, second: Second) => A, first: First, second: Second) {
    super()
    this.#compute = compute
    this.#first = first
    this.#second = second
  }

  answer(): A {
    return this.#compute(this.#first, this.#second)
  }
}

class Mapped<A, B, E, R> extends Answerable<B, E, R> {
  readonly #from: Effect.Effect<A, E, R>
  readonly #change: (value: A) => B

  constructor(from: Effect.Effect<A, E, R>, change: (value: A) => B) {
    super()
    this.#from = from
    this.#change = change
  }

  answer(at: Answering): MaybeLater<B> {
    return onAnswer(answerTo(this.#from, at), this.#change)
  }
}

class Chained<A, B, E, R> extends Answerable<B, E, R> {
  readonly #first: Effect.Effect<A, E, R>
  readonly #next: (value: A) => Effect.Effect<B, E, R>

  constructor(first: Effect.Effect<A, E, R>, next: (value: A) => Effect.Effect<B, E, R>) {
    super()
    this.#first = first
    this.#next = next
  }

  answer(at: Answering): MaybeLater<B> {
    const first = answerTo(this.#first, at)
    if (!isLater(first)) return answerTo(this.#next(first), at)
    return first.then((value) => answerTo(this.#next(value), requireWanted(at)))
  }
}

/** A function whose body is a generator of requests, as `Effect.fnUntraced`. */
function fn<Args extends Arguments, Y extends Yielded, A>(
  body: (...args: Args) => Generator<Y, A, never>,
): (...args: Args) => Routine<A, ErrorOf<Y>, PortsOf<Y>> {
  const ofAny = body as unknown as (...args: Arguments) => Generator<Y, A, never>
  return (first?: unknown, second?: unknown, third?: unknown) => new Body(ofAny, first, second, third)
}

/** One routine, as `Effect.gen`. */
function gen<Y extends Yielded, A>(body: () => Generator<Y, A, never>): Routine<A, ErrorOf<Y>, PortsOf<Y>> {
  return new Body(body)
}

function succeed<A>(value: A): Routine<A> {
  return new Value(value)
}

function fail<E>(error: E): Routine<never, E> {
  return new Step(() => {
    throw new Failed(error)
  })
}

/** A defect: a fault of the program or of the store, which no caller expects. */
function die(defect: unknown): Routine<never> {
  return new Step<never, never, never>(() => {
    throw defect
  })
}

function dieMessage(message: string): Routine<never> {
  return sync(() => {
    throw new Error(message)
  })
}

/** Computes a value when it is requested. What it throws is a defect. */
function sync<A>(compute: () => A): Routine<A> {
  return new Computed(compute)
}

/** As `sync`, for a function that exists already: it computes the value from these arguments. */
function call<First, A>(compute: (first: First) => A, first: First): Routine<A>
function call<First, Second, A>(
  compute: (first: First, second: Second) => A,
  first: First,
  second: Second,
): Routine<A>
function call<First, Second, A>(
  compute: (first: First, second: Second | undefined) => A,
  first: First,
  second?: Second,
): Routine<A> {
  return new Called(compute, first, second)
}

function map<A, B, E, R>(from: Effect.Effect<A, E, R>, change: (value: A) => B): Routine<B, E, R> {
  return new Mapped(from, change)
}

function as<A, E, R, B>(from: Effect.Effect<A, E, R>, value: B): Routine<B, E, R> {
  return new Mapped(from, () => value)
}

function asVoid<E, R>(from: Effect.Effect<unknown, E, R>): Routine<void, E, R> {
  return new Mapped<unknown, void, E, R>(from, () => undefined)
}

function flatMap<A, E, R, B, E2, R2>(
  first: Effect.Effect<A, E, R>,
  next: (value: A) => Effect.Effect<B, E2, R2>,
): Routine<B, E | E2, R | R2> {
  return new Chained<A, B, E | E2, R | R2>(first, next)
}

/** The second one after the first. */
function zipRight<E, R, B, E2, R2>(
  first: Effect.Effect<unknown, E, R>,
  second: Effect.Effect<B, E2, R2>,
): Routine<B, E | E2, R | R2> {
  return new Chained<unknown, B, E | E2, R | R2>(first, () => second)
}

/** The value of the first one, after what is made of it has run. */
function tap<A, E, R, E2, R2>(
  first: Effect.Effect<A, E, R>,
  next: (value: A) => Effect.Effect<unknown, E2, R2>,
): Routine<A, E | E2, R | R2> {
  return flatMap(first, (value) => map(next(value), () => value))
}

/** The value of the first one, after the second one has run. */
function zipLeft<A, E, R, E2, R2>(
  first: Effect.Effect<A, E, R>,
  second: Effect.Effect<unknown, E2, R2>,
): Routine<A, E | E2, R | R2> {
  return tap(first, () => second)
}

/** A request that is made for each run. */
function suspend<A, E, R>(make: () => Effect.Effect<A, E, R>): Routine<A, E, R> {
  return new Chained<void, A, E, R>(nothing, make)
}

/** One after the other; `discard`: without their values. */
function forEach<T, A, E, R>(
  items: Iterable<T>,
  make: (item: T, at: number) => Effect.Effect<A, E, R>,
): Routine<A[], E, R>
function forEach<T, A, E, R>(
  items: Iterable<T>,
  make: (item: T, at: number) => Effect.Effect<A, E, R>,
  options: { readonly discard: true },
): Routine<void, E, R>
function forEach<T, A, E, R>(
  items: Iterable<T>,
  make: (item: T, at: number) => Effect.Effect<A, E, R>,
): Routine<A[] | void, E, R> {
  return gen(function* () {
    const answers: A[] = []
    for (const item of items) answers.push(yield* make(item, answers.length) as Routine<A, E, R>)
    return answers
  })
}

/** One routine after the other, without their values. */
function inTurn<E, R>(...routines: readonly Effect.Effect<unknown, E, R>[]): Routine<void, E, R> {
  return forEach(routines, (routine) => routine, { discard: true })
}

/** How the routine ended, as a value. */
function ended<A, E, R>(routine: Effect.Effect<A, E, R>): Routine<Exit.Exit<A, E>, never, R> {
  return new Step((at) => exitOf<A, E>(() => answerTo(routine, at)))
}

/** With one more port. */
function provideService<A, E, R, I, S>(
  routine: Effect.Effect<A, E, R>,
  tag: Context.Tag<I, S>,
  service: S,
): Routine<A, E, Exclude<R, I>> {
  return new Step((at) => answerTo(routine, withPort(at, tag, service)))
}

/** Under another clock. */
function withClock<A, E, R>(
  routine: Effect.Effect<A, E, R>,
  change: (clock: Clock.Clock) => Clock.Clock,
): Routine<A, E, R> {
  return new Step((at) => {
    const clock = change(at.clock)
    return answerTo(routine, clock === at.clock ? at : { ...at, clock })
  })
}

/** An abort does not reach it. */
function uninterruptible<A, E, R>(routine: Routine<A, E, R>): Routine<A, E, R> {
  return new Step((at) => routine.answer(at.signal === undefined ? at : { ...at, signal: undefined }))
}

/** The failure becomes a value. */
function either<A, E, R>(routine: Effect.Effect<A, E, R>): Routine<Either.Either<A, E>, never, R> {
  return new Step((at) =>
    onAnswer(
      exitOf<A, E>(() => answerTo(routine, at)),
      eitherOf,
    ),
  )
}

function eitherOf<A, E>(exit: Exit.Exit<A, E>): Either.Either<A, E> {
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return Either.left(failure.value)
  throw Cause.squash(exit.cause)
}

/** A routine that a function answers. */
function answeredBy<A, E = never, R = never>(answer: (at: Answering) => MaybeLater<A>): Routine<A, E, R> {
  return new Step(answer)
}

/** Reads for later requests of the same transaction. In memory, where they would save nothing, they are not made. */
function ahead<E, R>(reads: Effect.Effect<unknown, E, R>): Routine<void, E, R> {
  return new Step<void, E, R>((at) =>
    at.readsAhead === true ? onAnswer(answerTo(reads, at), () => undefined) : undefined,
  )
}

/** A routine of a request whose kind is not known. */
function fromRequest<A, E, R>(request: Effect.Effect<A, E, R>): Routine<A, E, R> {
  return new Step((at) => answerTo(request, at))
}

const nothing: Routine<void> = new Value(undefined)

/** A value that is read from the current clock. */
function clockWith<A>(read: (clock: Clock.Clock) => A): Routine<A> {
  return new Step((at) => read(at.clock))
}

/** A port that may be absent. */
function optional<I, S>(tag: Context.Tag<I, S>): Routine<S | undefined> {
  return new Step((at) => portIn(at, tag))
}

/** The ports of the routine, for what it makes now and runs later. */
function context<R>(): Routine<Context.Context<R>, never, R> {
  return new Step((at) => portsOf(at) as Context.Context<R>)
}

/** Runs a routine between two steps; `end` runs also when it fails. */
function using<A, E, R>({ begin, run, end }: Using<A, E, R>): Routine<A, E, R> {
  return new Step((at) => {
    begin()
    return onAnswer(
      exitOf<A, E>(() => answerTo(run, at)),
      (exit) => {
        end()
        return valueOf(exit)
      },
    )
  })
}

interface Using<A, E, R> {
  readonly begin: () => void
  readonly run: Effect.Effect<A, E, R>
  readonly end: () => void
}

/** The same with another failure. */
function mapError<A, E, R, E2>(routine: Effect.Effect<A, E, R>, change: (error: E) => E2): Routine<A, E2, R> {
  return new Step((at) =>
    onAnswer(either(routine).answer(at), (result) => valueOfEither(Either.mapLeft(result, change))),
  )
}

/** With another value of a FiberRef. */
function locally<A, E, R, V>(
  routine: Effect.Effect<A, E, R>,
  fiberRef: FiberRef.FiberRef<V>,
  value: V,
): Routine<A, E, R> {
  return new Step((at) => answerTo(routine, withRef(at, fiberRef, value)))
}

export function withRef<V>(at: Answering, fiberRef: FiberRef.FiberRef<V>, value: V): Answering {
  return { ...at, refs: FiberRefs.updateAs(at.refs, { fiberId: FiberId.none, fiberRef, value }) }
}

/** Another routine in place of one that ends in a defect of this kind. */
function catchDefect<A, E, R, B, E2, R2>(
  routine: Effect.Effect<A, E, R>,
  isMeant: (defect: unknown) => boolean,
  otherwise: Effect.Effect<B, E2, R2>,
): Routine<A | B, E | E2, R | R2> {
  return new Step<A | B, E | E2, R | R2>((at) =>
    onAnswer<Exit.Exit<A, E>, A | B>(
      exitOf<A, E>(() => answerTo(routine, at)),
      (exit) =>
        Exit.isFailure(exit) && [...Cause.defects(exit.cause)].some(isMeant)
          ? answerTo(otherwise, at)
          : valueOf(exit),
    ),
  )
}

/** Runs an Effect with the cause when the routine fails, which then fails as before. */
function tapCause<A, E, R>(
  routine: Effect.Effect<A, E, R>,
  note: (cause: Cause.Cause<E>) => Effect.Effect<void>,
): Routine<A, E, R> {
  return new Step((at) =>
    onAnswer(
      exitOf<A, E>(() => answerTo(routine, at)),
      (exit) =>
        Exit.isSuccess(exit) ? exit.value : onAnswer(answerTo(note(exit.cause), at), () => valueOf(exit)),
    ),
  )
}

/** The value of a FiberRef; a host passes those of the fiber that called it. */
function ref<A>(fiberRef: FiberRef.FiberRef<A>): Routine<A> {
  return new Step((at) => FiberRefs.getOrDefault(at.refs, fiberRef))
}

/** The current time. */
const nowMs: Routine<EpochMs> = clockWith((clock) => clock.unsafeCurrentTimeMillis())

/** Named as the functions of Effect that do the same in a fiber. */
export const Routine = {
  ahead,
  answeredBy,
  as,
  asVoid,
  call,
  catchDefect,
  clockWith,
  context,
  die,
  dieMessage,
  either,
  exit: ended,
  fail,
  flatMap,
  fn,
  forEach,
  from: fromRequest,
  gen,
  inTurn,
  locally,
  map,
  mapError,
  nowMs,
  optional,
  provideService,
  ref,
  succeed,
  suspend,
  sync,
  tap,
  tapCause,
  uninterruptible,
  using,
  void: nothing,
  withClock,
  zipLeft,
  zipRight,
} as const
