/** The photo of the load: the camera, a look at it, and the move. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { PhoneTask } from "../../../../model/requests/runner-app.ts"
import { Icon } from "../../design/icon.tsx"
import { isEnded, standingOf } from "../standing.ts"
import { redrawn } from "../photo-file.ts"
import type { TakenPhoto } from "../photo-file.ts"
import { clockTime } from "../times.ts"
import { botName } from "../words.ts"
import type { ShownProps } from "./tasks.tsx"

export function PhotoPage({ task, state, actions }: ShownProps & { readonly task: PhoneTask }): JSX.Element {
  const [photo, setPhoto] = useState<TakenPhoto | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const standing = standingOf(task, state.queue)
  const isLate = isEnded(standing)
  const mayLoad = !state.isResting && standing.moves.some(({ move }) => move === "load")
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    try {
      setPhoto(await redrawn(file))
      setProblem(null)
    } catch {
      setProblem("This file is no picture that the phone can read. Take another one.")
    }
  }
  const isLoading = useRef(false)
  const load = async (blob: Blob | null): Promise<void> => {
    // A second tap before the page has drawn the first one loads nothing.
    if (isLoading.current) return
    isLoading.current = true
    await actions.move(task, "load", blob === null ? {} : { photo: blob })
    isLoading.current = false
    window.location.hash = `task/${task.reservation_id}`
  }
  return (
    <main class="runner photo">
      <div class="top">
        <a class="back" href={`#task/${task.reservation_id}`}>
          <Icon name="chevron-left" /> {task.stall_label || "Task"}
        </a>
        <span>
          Order {task.order_number} · {botName(task)}
        </span>
      </div>
      <h1>{photo === null ? "Photo of the whole load" : "Is the whole load in the picture?"}</h1>
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {photo === null ? <Camera onTake={take} isFirst /> : <Preview photo={photo} />}
      <p class="small">The bot waits until {clockTime(task.arrival_window_end)}.</p>
      <footer class="thumb">
        {photo === null ? null : (
          <button type="button" class="next" disabled={!mayLoad} onClick={() => void load(photo.blob)}>
            {isLate ? "Use this photo" : "Loaded, use this photo"}
          </button>
        )}
        <div class="two">
          {photo === null ? null : <Camera onTake={take} />}
          {isLate ? null : (
            <button type="button" disabled={!mayLoad} onClick={() => void load(null)}>
              Load, no photo
            </button>
          )}
        </div>
      </footer>
    </main>
  )
}

/** The phone's camera where it has one, otherwise its files. */
function Camera({
  onTake,
  isFirst = false,
}: {
  readonly onTake: (file: File | undefined) => Promise<void>
  readonly isFirst?: boolean
}): JSX.Element {
  return (
    <label class={isFirst ? "camera" : "again"}>
      <Icon name={isFirst ? "camera" : "undo"} isLarge={isFirst} /> {isFirst ? "Open the camera" : "Retake"}
      <input
        type="file"
        accept="image/*"
        capture="environment"
        class="visually-hidden"
        onChange={({ currentTarget }) => void onTake(currentTarget.files?.[0])}
      />
    </label>
  )
}

function Preview({ photo: { canvas, blob } }: { readonly photo: TakenPhoto }): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    canvas.setAttribute("role", "img")
    canvas.setAttribute("aria-label", "The photo that was taken")
    place.current?.replaceChildren(canvas)
  }, [canvas])
  return (
    <>
      <div ref={place} class="preview" />
      <p class="small">
        {canvas.width} × {canvas.height}, {Math.ceil(blob.size / 1024)} KB. Place and camera data were removed
        on this phone. The partner gets it by a link that dies after 24 hours.
      </p>
    </>
  )
}
