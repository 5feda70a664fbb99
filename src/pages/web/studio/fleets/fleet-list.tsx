/** The fleet models of the folder, which open as sliders. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import type { FleetState } from "./fleet-state.ts"

interface FleetListProps {
  readonly state: FleetState
  readonly onOpen: (path: string) => void
  readonly onNew: () => void
}

export function FleetList({ state, onOpen, onNew }: FleetListProps): JSX.Element {
  const { fleets, open, unsaved, fault } = state
  return (
    <nav class="files" aria-label="Fleet models">
      <div class="list-head">
        <Button icon="plus" onPress={onNew}>
          New fleet model
        </Button>
      </div>
      {fleets === null ? (
        fault === null && <Skeleton lines={5} />
      ) : fleets.length === 0 ? (
        <Empty title="No fleet model yet">
          A model asks how many runners, stalls and vehicles a day needs. It is a YAML file of this folder
          that begins with "fleet:". Make the first one with the button above.
        </Empty>
      ) : (
        <ul>
          {fleets.map(({ path, title }) => (
            <li key={path}>
              <button
                type="button"
                class="file"
                aria-current={open?.path === path ? "true" : undefined}
                title={path}
                onClick={() => onOpen(path)}
              >
                <span class="quiet">
                  <Icon name="bar-chart" />
                </span>
                <span class="file-title">{title}</span>
                {unsaved.has(path) && <span class="unsaved"> · not saved</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </nav>
  )
}
