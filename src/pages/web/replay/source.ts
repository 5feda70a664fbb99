/** What the page is opened with: a model to run, and the script of the worker that runs it. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"

/** The page's data. */
export interface ReplayData {
  /** Path of the worker's script; null when the page itself contains it, compressed, in the element `replay-worker`. */
  readonly worker: string | null
  /** Null: the model is named in the address, and asked of the studio that serves the page. */
  readonly run: ReplayRequest | null
  /** Path that answers the replay as one file; left out: its host makes none. */
  readonly saves?: string
  /** The fragment of the address at which a saved file opens; left out: none. */
  readonly moment?: string
}

/** A model of the studio's folder, or the reason why there is none. */
export interface ReplaySource {
  readonly run: ReplayRequest
  /** Where the model is changed; null without a studio. */
  readonly home: string | null
  /** Makes one file of the replay, which opens at a moment; null where nobody makes it. */
  readonly save: ((moment: string) => Promise<Blob>) | null
}
