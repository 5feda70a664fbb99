/**
 * Routines: what commands, repositories and observers are made of. A routine makes requests: it reads rows and groups, runs turns,
 * writes rows, uses ports, or refuses. It cannot sleep, and waits for nothing but its database. A host runs it without a fiber
 * (`answerTo`): in memory every request is answered at once. Everywhere else a routine is an Effect, so programs that wait for
 * the outside use the same services.
 */

import {
  Cause,
  Context,
  Effect,
  Effectable,
  Either,
  Exit,
  FiberId,
  FiberRef,
  FiberRefs,
  Option,
} from "effect"
import type { Clock } from "effect"
import { SingleShotGen, YieldWrap, yieldWrapGet } from "effect/Utils"
import { withPort } from "../library-internals/one-more-port.ts"
import type { EpochMs } from "../../model/values/time.ts"

/** What a host gives to a routine that it runs. */
export interface Answering {
  /** The ports of the routine. */
  readonly services: Context.Context<never>
  readonly clock: Clock.Clock
  /** Values of the fiber that called the host. */
  readonly refs: FiberRefs.FiberRefs
  /** Set where a read takes a round trip and a transaction keeps what it read. */
  readonly readsAhead?: true
  /** Aborted when the caller needs no answer: what waits for the outside ends then. */
  readonly signal?: AbortSignal
  /** Runs an Effect that is no routine. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, at: Answering) => MaybePromise<Exit.Exit<A, E>>
}

/** A promise only where the answer comes from a database. */
export type MaybePromise<A> = A | Promise<A>

/** Ends a routine with an expected failure. Thrown, and caught by `exitOf` or by a routine that handles failures. */
class Failed extends Error {
  readonly error: unknown

  constructor(error: unknown) {
    super("a routine failed as its caller expects")
    this.error = error
  }
}

/** What the body that runs now was given; null while no host runs one. */
let running: Answering | null = null

/** Runs with another value of `running`. */
function whileRunning<A>(at: Answering | null, run: () => A): A {
  const before = running
  running = at
  try {
    return run()
  } finally {
    running = before
  }
}

/**
 * The iterator of an answer that is known: `yield*` takes its value, and the generator does not stop. One object serves every
 * answer, because `yield*` reads the value before anything else runs.
 */
const answered = {
  value: null as unknown,
  done: true,
  next(): object {
    return answered
  },
}

function answeredWith(value: unknown): object {
  answered.value = value
  return answered
}

/** A request, or a sequence of requests. A kind that is made at every turn is a class, which takes less memory than closures. */
export abstract class Answerable<out A, out E = never, out R = never> extends Effectable.Class<A, E, R> {
  /** Throws `Failed` for an expected failure, and anything else for a defect; its promise rejects with the same. */
  abstract answer(at: Answering): MaybePromise<A>

  /** In a body that a host runs, it is answered here; a fiber gets the routine itself. */
  override [Symbol.iterator](): Effect.EffectGenerator<Answerable<A, E, R>> {
    if (running === null) return new SingleShotGen(new YieldWrap(this)) as never
    const answer = this.answer(running)
    return (answer instanceof Promise ? new SingleShotGen(answer) : answeredWith(answer)) as never
  }
}

export type Routine<A, E = never, R = never> = Answerable<A, E, R>

export function isRoutine<A, E, R>(one: Effect.Effect<A, E, R>): one is Routine<A, E, R> {
  return one instanceof Answerable
}

/**
 * As `Context.Tag`, for a port that routines use at every turn: a body gets it where it is yielded, as the answer to a routine.
 * Other ports reach the host as requests, which takes a few times as long.
 */
export function Port<const Id extends string>(id: Id) {
  return <Self, Shape>(): Context.TagClass<Self, Id, Shape> => {
    const tag = Context.Tag(id)<Self, Shape>()
    return Object.assign(tag, {
      [Symbol.iterator](): Effect.EffectGenerator<Context.Tag<Self, Shape>> {
        if (running === null) return new SingleShotGen(new YieldWrap(tag)) as never
        // One look-up by the key, as nearly always; an absent port fails with Effect's own message.
        const port = running.services.unsafeMap.get(id) as unknown
        return answeredWith(
          port ?? Context.unsafeGet(running.services as Context.Context<Self>, tag),
        ) as never
      },
    })
  }
}

/** The end of an answer: a value, an expected failure, or a defect. */
export function exitOf<A, E>(answer: () => MaybePromise<A>): MaybePromise<Exit.Exit<A, E>> {
  try {
    return onAnswer(answer(), Exit.succeed, failedExit)
  } catch (thrown) {
    return failedExit(thrown)
  }
}

function failedExit(thrown: unknown): Exit.Exit<never> {
  return thrown instanceof Failed ? Exit.fail(thrown.error as never) : Exit.die(thrown)
}

/** The answer to a request; it throws as `Answerable.answer` does. */
export function answerTo<A, E, R>(request: Effect.Effect<A, E, R>, at: Answering): MaybePromise<A> {
  if (request instanceof Answerable) return request.answer(at) as MaybePromise<A>
  if (Context.isTag(request)) return Context.unsafeGet(at.services, request) as A
  if (Exit.isExit(request)) return valueOf(request) as A
  if (Either.isEither(request)) return valueOfEither(request) as A
  // An error that is yielded, such as `Refused`.
  if (request instanceof Error) throw new Failed(request)
  const ran = whileRunning(null, () => at.run(request as Effect.Effect<A, E>, at))
  return onAnswer(ran, valueOf)
}

/**
 * The answers to requests that do not depend on each other: all begin before the first is awaited, and all have ended when this
 * fails with the first failure.
 */
export function answersTo<A, E, R>(
  requests: readonly Effect.Effect<A, E, R>[],
  at: Answering,
): MaybePromise<A[]> {
  let isWaiting = false
  let failures = null as Map<number, unknown> | null
  // Not by `push`, which makes room for seventeen.
  const answers = requests.map((request, index): MaybePromise<A> => {
    try {
      const answer = answerTo(request, at)
      if (answer instanceof Promise) isWaiting = true
      return answer
    } catch (thrown) {
      failures ??= new Map()
      failures.set(index, thrown)
      return undefined as A
    }
  })
  if (!isWaiting) {
    for (const thrown of failures?.values() ?? []) throw thrown
    return answers as A[]
  }
  for (const [index, thrown] of failures ?? []) answers[index] = Promise.reject(thrown)
  return Promise.allSettled(answers).then((all) => all.map(settledValue))
}

function settledValue<A>(one: PromiseSettledResult<A>): A {
  if (one.status === "rejected") throw one.reason
  return one.value
}

function valueOfEither<A>(result: Either.Either<A, unknown>): A {
  if (Either.isLeft(result)) throw new Failed(result.left)
  return result.right
}

function valueOf<A>(exit: Exit.Exit<A, unknown>): A {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  throw Option.isSome(failure) ? new Failed(failure.value) : Cause.squash(exit.cause)
}

/** Continues at once with a value, and later with a promise's. */
function onAnswer<A, B>(
  answer: MaybePromise<A>,
  next: (value: A) => MaybePromise<B>,
  onThrown?: (thrown: unknown) => MaybePromise<B>,
): MaybePromise<B> {
  if (!(answer instanceof Promise)) return next(answer)
  // oxlint-disable-next-line promise/no-callback-in-promise -- This is the place where both kinds of answer continue.
  return answer.then(next, onThrown)
}

/** A routine whose two forms differ: `inFiber`, and `answer`. */
class Dual<A, E, R> extends Answerable<A, E, R> {
  readonly #inFiber: () => Effect.Effect<A, E, R>
  readonly #answer: (at: Answering) => MaybePromise<A>

  constructor(inFiber: () => Effect.Effect<A, E, R>, answer: (at: Answering) => MaybePromise<A>) {
    super()
    this.#inFiber = inFiber
    this.#answer = answer
  }

  answer(at: Answering): MaybePromise<A> {
    return this.#answer(at)
  }

  commit(): Effect.Effect<A, E, R> {
    return this.#inFiber()
  }
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
type Yielded = YieldWrap<Request>
type ErrorOf<Y> = [Y] extends [never]
  ? never
  : [Y] extends [YieldWrap<Effect.Effect<unknown, infer E, unknown>>]
    ? E
    : never
type PortsOf<Y> = [Y] extends [never]
  ? never
  : [Y] extends [YieldWrap<Effect.Effect<unknown, unknown, infer R>>]
    ? R
    : never

/** Of a body; one that needs more takes an object. */
type Arguments = [first?: unknown, second?: unknown, third?: unknown]

/**
 * A generator of requests. Each run begins a new one, because a transaction may run its body again. Its arguments are fields,
 * because a list of them would be two more objects.
 */
class Body<Y extends Yielded, A> extends Answerable<A, ErrorOf<Y>, PortsOf<Y>> {
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

  answer(at: Answering): MaybePromise<A> {
    return resumed(this.#begin(), undefined, at)
  }

  commit(): Effect.Effect<A, ErrorOf<Y>, PortsOf<Y>> {
    return Effect.gen(() => this.#begin())
  }

  #begin(): Generator<Y, A, never> {
    return this.#body(this.#first, this.#second, this.#third)
  }
}

/** `next` of every generator. Each body has a prototype of its own, so that looking it up there is slow. */
// oxlint-disable-next-line typescript/unbound-method -- It is called with its generator.
const resume = (function* () {})().next

/** Goes on with the answer to the last request, or begins. A generator stops only for a promise, and for what is no routine. */
function resumed<Y extends Yielded, A>(
  requests: Generator<Y, A, never>,
  last: unknown,
  at: Answering,
): MaybePromise<A> {
  const before = running
  running = at
  try {
    let next = resume.call(requests, last) as IteratorResult<Promise<unknown> | Y, A>
    while (next.done !== true) {
      const request = next.value
      const answer: unknown = request instanceof Promise ? request : answerTo(yieldWrapGet(request), at)
      if (answer instanceof Promise) return answer.then((value) => resumed(requests, value, at))
      next = resume.call(requests, answer) as IteratorResult<Promise<unknown> | Y, A>
    }
    return next.value
  } finally {
    running = before
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

  commit(): Effect.Effect<A> {
    return Effect.succeed(this.#value)
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

  commit(): Effect.Effect<A> {
    return Effect.sync(this.#compute)
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

  commit(): Effect.Effect<A> {
    return Effect.sync(() => this.#compute(this.#first, this.#second))
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

  answer(at: Answering): MaybePromise<B> {
    return onAnswer(answerTo(this.#from, at), this.#change)
  }

  commit(): Effect.Effect<B, E, R> {
    return Effect.map(this.#from, this.#change)
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

  answer(at: Answering): MaybePromise<B> {
    const first = answerTo(this.#first, at)
    if (!(first instanceof Promise)) return answerTo(this.#next(first), at)
    return first.then((value) => answerTo(this.#next(value), at))
  }

  commit(): Effect.Effect<B, E, R> {
    return Effect.flatMap(this.#first, this.#next)
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
  return new Dual(
    () => Effect.fail(error),
    () => {
      throw new Failed(error)
    },
  )
}

/** A defect: a fault of the program or of the store, which no caller expects. */
function die(defect: unknown): Routine<never> {
  return new Dual<never, never, never>(
    () => Effect.die(defect),
    () => {
      throw defect
    },
  )
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
  return new Dual(
    () => Effect.exit(routine),
    (at) => exitOf<A, E>(() => answerTo(routine, at)),
  )
}

/** With one more port. */
function provideService<A, E, R, I, S>(
  routine: Effect.Effect<A, E, R>,
  tag: Context.Tag<I, S>,
  service: S,
): Routine<A, E, Exclude<R, I>> {
  return new Dual(
    () => Effect.provideService(routine, tag, service),
    (at) => answerTo(routine, { ...at, services: withPort(at.services, tag, service) }),
  )
}

/** Under another clock. */
function withClock<A, E, R>(
  routine: Effect.Effect<A, E, R>,
  change: (clock: Clock.Clock) => Clock.Clock,
): Routine<A, E, R> {
  return new Dual(
    () =>
      Effect.clockWith((clock) => {
        const changed = change(clock)
        return changed === clock ? routine : Effect.withClock(routine, changed)
      }),
    (at) => {
      const clock = change(at.clock)
      return answerTo(routine, clock === at.clock ? at : { ...at, clock })
    },
  )
}

/** The failure becomes a value. */
function either<A, E, R>(routine: Effect.Effect<A, E, R>): Routine<Either.Either<A, E>, never, R> {
  return new Dual(
    () => Effect.either(routine),
    (at) =>
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

/** A routine with one form for fibers and one for hosts. Both must do the same. */
function dual<A, E = never, R = never>(
  inFiber: () => Effect.Effect<A, E, R>,
  answer: (at: Answering) => MaybePromise<A>,
): Routine<A, E, R> {
  return new Dual(inFiber, answer)
}

/** Reads for later requests of the same transaction. In memory, where they would save nothing, they are not made. */
function ahead<E, R>(reads: Effect.Effect<unknown, E, R>): Routine<void, E, R> {
  return new Dual<void, E, R>(
    () => Effect.asVoid(reads),
    (at) => (at.readsAhead === true ? onAnswer(answerTo(reads, at), () => undefined) : undefined),
  )
}

/** A routine of a request whose kind is not known. */
function fromRequest<A, E, R>(request: Effect.Effect<A, E, R>): Routine<A, E, R> {
  return new Dual(
    () => request,
    (at) => answerTo(request, at),
  )
}

/** An Effect that is made for each run. On a host in memory it must end without waiting. */
function fromEffect<A, E = never, R = never>(make: () => Effect.Effect<A, E, R>): Routine<A, E, R> {
  return new Dual(make, (at) => answerTo(make(), at))
}

const nothing: Routine<void> = new Value(undefined)

/** A value that is read from the current clock. */
function clockWith<A>(read: (clock: Clock.Clock) => A): Routine<A> {
  return new Dual(
    () => Effect.map(Effect.clock, read),
    (at) => read(at.clock),
  )
}

/** A value that is read from the ports, also from those that may be absent. */
function portsWith<A>(read: (ports: Context.Context<never>) => A): Routine<A> {
  return new Dual(
    () => Effect.map(Effect.context<never>(), read),
    (at) => read(at.services),
  )
}

/** The ports of the routine, for what it makes now and runs later. */
function context<R>(): Routine<Context.Context<R>, never, R> {
  return portsWith((ports) => ports as Context.Context<R>)
}

/** Runs a routine between two steps; `end` runs also when it fails. */
function using<A, E, R>({ begin, run, end }: Using<A, E, R>): Routine<A, E, R> {
  return new Dual(
    () =>
      Effect.acquireUseRelease(
        Effect.sync(begin),
        () => run,
        () => Effect.sync(end),
      ),
    (at) => {
      begin()
      return onAnswer(
        exitOf<A, E>(() => answerTo(run, at)),
        (exit) => {
          end()
          return valueOf(exit)
        },
      )
    },
  )
}

interface Using<A, E, R> {
  readonly begin: () => void
  readonly run: Effect.Effect<A, E, R>
  readonly end: () => void
}

/** The same with another failure. */
function mapError<A, E, R, E2>(routine: Effect.Effect<A, E, R>, change: (error: E) => E2): Routine<A, E2, R> {
  return new Dual(
    () => Effect.mapError(routine, change),
    (at) => onAnswer(either(routine).answer(at), (result) => valueOfEither(Either.mapLeft(result, change))),
  )
}

/** With another value of a FiberRef. */
function locally<A, E, R, V>(
  routine: Effect.Effect<A, E, R>,
  fiberRef: FiberRef.FiberRef<V>,
  value: V,
): Routine<A, E, R> {
  return new Dual(
    () => Effect.locally(routine, fiberRef, value),
    (at) => answerTo(routine, withRef(at, fiberRef, value)),
  )
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
  return new Dual<A | B, E | E2, R | R2>(
    () =>
      Effect.catchSomeDefect(routine, (defect) => (isMeant(defect) ? Option.some(otherwise) : Option.none())),
    (at) =>
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
  return new Dual(
    () => Effect.tapErrorCause(routine, note),
    (at) =>
      onAnswer(
        exitOf<A, E>(() => answerTo(routine, at)),
        (exit) =>
          Exit.isSuccess(exit) ? exit.value : onAnswer(answerTo(note(exit.cause), at), () => valueOf(exit)),
      ),
  )
}

/** The value of a FiberRef; a host passes those of the fiber that called it. */
function ref<A>(fiberRef: FiberRef.FiberRef<A>): Routine<A> {
  return new Dual(
    () => FiberRef.get(fiberRef),
    (at) => FiberRefs.getOrDefault(at.refs, fiberRef),
  )
}

/** The current time. */
const nowMs: Routine<EpochMs> = clockWith((clock) => clock.unsafeCurrentTimeMillis())

/** Named as the functions of Effect that do the same in a fiber. */
export const Routine = {
  ahead,
  as,
  asVoid,
  call,
  catchDefect,
  clockWith,
  context,
  die,
  dieMessage,
  dual,
  effect: fromEffect,
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
  portsWith,
  provideService,
  ref,
  succeed,
  suspend,
  sync,
  tap,
  tapCause,
  using,
  void: nothing,
  withClock,
  zipLeft,
  zipRight,
} as const
