/**
 * What a machine ignores, and why: state, then event, then the reason in a sentence. The table tests hold every
 * state-by-event cell to one of three answers: it moves, it refuses with a code, or it stands here.
 */
export type Ignores = { readonly [state: string]: { readonly [event: string]: string } }
