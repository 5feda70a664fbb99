/** A value that is made at its first use, such as a package that is loaded then. A failure is not kept: the next use tries again. */
export function madeOnce<A>(make: () => Promise<A>): () => Promise<A> {
  let made: Promise<A> | null = null
  const forget = (cause: unknown): never => {
    made = null
    throw cause
  }
  return () => (made ??= make().catch(forget))
}
