/** The bar that says where the run is computed, its seed and its digest; and what stands below it when the command has another digest. */

import type { JSX } from "preact"
import { Button, Copy, hasCopied, shortened } from "../design/button.tsx"
import { Banner, toast } from "../design/feedback.tsx"
import type { ReplayRequest } from "../../../model/replay/messages.ts"
import type { RunStatus } from "./session.ts"

interface RunProps {
  readonly run: ReplayRequest
  /** Of the day as it is written: a changed one has no digest of the command. */
  readonly status: RunStatus
}

export function EnvironmentBar({
  run,
  seed,
  status,
}: RunProps & { readonly seed: number | null }): JSX.Element {
  return (
    <div class="environment local" role="region" aria-label="Environment">
      <span class="badge">LOCAL</span>
      <span>
        Virtual time, computed in this browser<span class="more">. Nothing leaves this machine.</span>
      </span>
      <span class="end">
        <span>
          seed <span class="mono strong">{seed}</span>
        </span>
        {status.is === "done" && (
          <span class="digest">
            digest{" "}
            <span class="mono strong" title={status.digest} data-digest={status.digest}>
              {shortened(status.digest)}
            </span>{" "}
            {status.digest === run.expectedDigest && <span class="good">equal to the command's</span>}
            <Copy text={status.digest} label="Copy the digest" />
          </span>
        )}
      </span>
    </div>
  )
}

/** The run is not the one of the command: nothing of it may be taken for that one. */
export function UnlikeDigest({ run: { expectedDigest }, status }: RunProps): JSX.Element | null {
  if (status.is !== "done" || (expectedDigest ?? status.digest) === status.digest) return null
  const both = `this page: ${status.digest}\nthe command: ${expectedDigest}\n`
  const copy = async (): Promise<void> => {
    toast((await hasCopied(both)) ? "Both digests are copied." : `Copy these: ${both}`)
  }
  return (
    <Banner tone="bad">
      <div class="unlike-digest">
        <p>
          <strong>This is not the run of the command: their digests differ.</strong> The page and the command
          are of different versions, or the file was changed.
        </p>
        <dl>
          <dt>This page</dt>
          <dd class="mono">{status.digest}</dd>
          <dt>The command</dt>
          <dd class="mono">{expectedDigest}</dd>
        </dl>
      </div>
      <Button isSmall icon="copy" onPress={() => void copy()}>
        Copy both
      </Button>
    </Banner>
  )
}
