/** The fleet models of the folder, which open as sliders. */

import type { JSX } from "preact"
import { Empty } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { FleetState } from "./fleet-state.ts"

interface FleetListProps {
  readonly state: FleetState
  readonly onOpen: (path: string) => void
}

export function FleetList({ state: { fleets, open, unsaved }, onOpen }: FleetListProps): JSX.Element {
  return (
    <nav class="files" aria-label="Fleet models">
      {fleets.length === 0 ? (
        <Empty title="No fleet model yet">
          A model is a YAML file of this folder that begins with "fleet:". It asks how many runners, stalls
          and vehicles a day needs.
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
