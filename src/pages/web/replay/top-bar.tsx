/** The bar with the name of the model, how the run stands, and what opens over the page. */

import type { JSX } from "preact"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { StandingPill } from "./late-pill.tsx"
import type { ReplaySource } from "./source.ts"
import type { UsedSession } from "./use-session.ts"

export function TopBar({
  source,
  used,
  onWhatIf,
  onFind,
  onTable,
  onCopy,
  onSave,
}: {
  readonly source: ReplaySource
  readonly used: UsedSession
  readonly onWhatIf?: () => void
  readonly onFind?: () => void
  readonly onTable?: () => void
  readonly onCopy?: () => void
  readonly onSave?: () => void
}): JSX.Element {
  const { scene, status } = used
  return (
    <header class="replay-top">
      <Mark />
      <h1>Fleet replay</h1>
      <nav class="crumbs" aria-label="Where this is">
        {source.home === null ? (
          <span class="quiet">{source.run.file}</span>
        ) : (
          <a href={source.home}>Fleets</a>
        )}
        <Icon name="chevron-right" />
        <strong>{scene?.head.title ?? source.run.file}</strong>
      </nav>
      <StandingPill scene={scene} status={status} />
      <span class="grow" />
      {onWhatIf !== undefined && (
        <button type="button" class="button" title="Other numbers of the model (W)" onClick={onWhatIf}>
          <Icon name="sliders" /> <span class="words">What if</span> <kbd aria-hidden="true">W</kbd>
        </button>
      )}
      {onFind !== undefined && (
        <button type="button" class="button" title="Find an actor or an order (/)" onClick={onFind}>
          <Icon name="search" /> <span class="words">Find</span> <kbd aria-hidden="true">/</kbd>
        </button>
      )}
      {onTable !== undefined && (
        <button type="button" class="button" title="Positions as a table" onClick={onTable}>
          <Icon name="clipboard" /> <span class="words">Positions</span>
        </button>
      )}
      {onCopy !== undefined && (
        <button type="button" class="button" title="Copy the address of this moment" onClick={onCopy}>
          <Icon name="link" /> <span class="words">Copy this moment</span>
        </button>
      )}
      {onSave !== undefined && (
        <button
          type="button"
          class="button save-file"
          title="One HTML file that opens this moment"
          onClick={onSave}
        >
          <Icon name="download" /> <span class="words">Save as one file</span>
        </button>
      )}
    </header>
  )
}
