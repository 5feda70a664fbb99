/** The model that the page shows, and what its host does for it. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"

/** A model of the studio's folder, or the reason why there is none. */
export interface ReplaySource {
  readonly run: ReplayRequest
  /** Where the model is changed; null without a studio. */
  readonly home: string | null
  /** Path of an inspector's page on the same host; null where there is none. */
  readonly inspector: string | null
  /** Makes one file of the replay, which opens at a moment; null where its host makes none. */
  readonly save: ((moment: string) => Promise<Blob>) | null
}
