/** What the page "Fleet replay" is opened with: a model to run, and the script of the worker that runs it. */

import type { ReplayRequest } from "./messages.ts"

export interface ReplayData {
  /** Path of the worker's script; null when the page itself contains it, compressed, in the element `replay-worker`. */
  readonly worker: string | null
  /** Null: the model is named in the address, and asked of the studio that serves the page. */
  readonly run: ReplayRequest | null
  /** Path that answers the replay as one file; left out: its host makes none. */
  readonly saves?: string
  /** The page shows today of the site in its path, from the service, for who is signed in. */
  readonly today?: true
  /** Path of an inspector's page that takes records of this page; left out: its host has none. */
  readonly inspector?: string
  /** The fragment of the address at which a saved file opens; left out: none. */
  readonly moment?: string
}
