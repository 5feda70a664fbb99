/** Memory settings with which a process of the service begins; neither can be changed later. Source: src/DECISIONS.md §154. */

/** The C library's number of memory pools. */
export const MEMORY_POOLS = { MALLOC_ARENA_MAX: "2" } as const

/**
 * The size in MiB of a semi-space, of which the heap for new objects has up to three. Under load fewer objects outlive it than Node's
 * default of 16, so the garbage collector copies less.
 */
export const YOUNG_HEAP = "--max-semi-space-size=32"
