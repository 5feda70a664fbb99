/**
 * A value that is made at its first use, such as a package that is loaded then. A failure is not kept, nor a value that is not `complete`:
 * the next use tries again.
 */
export function madeOnce<A>(
  make: () => Promise<A>,
  isComplete: (made: A) => boolean = () => true,
): () => Promise<A> {
  let made: Promise<A> | null = null
  const look = (value: A): A => {
    if (!isComplete(value)) made = null
    return value
  }
  const forget = (cause: unknown): never => {
    made = null
    throw cause
  }
  return () => (made ??= make().then(look, forget))
}
