/** The runner's page: pairing, the list of tasks, one task, its photo. The address says which, so that back works. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PhoneRecord } from "../../../model/requests/runner-app.ts"
import { Skeleton } from "../design/feedback.tsx"
import { Banners } from "./banners.tsx"
import { Calls } from "./calls.tsx"
import { PairPage } from "./pages/pair.tsx"
import { PhotoPage } from "./pages/photo.tsx"
import { TaskPage } from "./pages/task.tsx"
import { TasksPage } from "./pages/tasks.tsx"
import { useRunner } from "./state.ts"
import { useSiteZone } from "./times.ts"

interface Place {
  readonly page: "pair" | "photo" | "task" | "tasks"
  /** A reservation, or the code of a pairing link. */
  readonly id: string
}

export function App(): JSX.Element {
  const [state, actions] = useRunner()
  const { page, id } = usePlace()
  const { stage, me, tasks } = state
  useSiteZone(me?.site.timezone ?? null)
  const task = tasks.find(({ reservation_id }) => reservation_id === id)
  if (page === "pair" || stage === "unpaired") {
    return (
      <Frame me={null}>
        <PairPage code={page === "pair" ? id : null} away={state.away} onPaired={actions.paired} />
      </Frame>
    )
  }
  if (stage === "starting" || me === null) {
    return (
      <Frame me={null}>
        <main class="runner">
          <Skeleton lines={6} />
        </main>
      </Frame>
    )
  }
  const shown = { state, actions, me }
  return (
    <Frame me={me}>
      <Calls state={state} actions={actions} />
      <Banners state={state} actions={actions} />
      {task === undefined ? (
        <TasksPage {...shown} />
      ) : page === "photo" ? (
        <PhotoPage key={id} task={task} {...shown} />
      ) : (
        <TaskPage key={id} task={task} {...shown} />
      )}
    </Frame>
  )
}

function Frame({
  me,
  children,
}: {
  readonly me: PhoneRecord | null
  readonly children: preact.ComponentChildren
}): JSX.Element {
  return (
    <>
      {me === null ? null : (
        <header class={`environment ${me.environment}`}>
          <span class="badge">{me.environment.toUpperCase()}</span>
          <span>{me.site.name}</span>
        </header>
      )}
      {children}
    </>
  )
}

function usePlace(): Place {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const read = (): void => {
      setPlace(placeNow())
      window.scrollTo(0, 0)
    }
    window.addEventListener("hashchange", read)
    return () => window.removeEventListener("hashchange", read)
  }, [])
  return place
}

function placeNow(): Place {
  const hash = window.location.hash.slice(1)
  if (hash.startsWith("pair=")) return { page: "pair", id: hash.slice("pair=".length) }
  const [page, id = ""] = hash.split("/")
  return page === "task" || page === "photo" ? { page, id } : { page: "tasks", id: "" }
}
