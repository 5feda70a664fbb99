/**
 * The events that a machine ignores, as state → event → reason in a sentence. The table tests require one of three
 * answers for each cell of state and event: the machine moves, it refuses with a code, or the cell stands here.
 */
export type Ignores = { readonly [state: string]: { readonly [event: string]: string } }
