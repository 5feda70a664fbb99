/** The demo's day at the head of the start page: it asks the host for the model, and runs it in a worker of the page. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Banner } from "../design/feedback.tsx"
import type { ReplayWorker } from "../replay/session.ts"
import { ReplayShow } from "../replay/show.tsx"
import type { ReplayData } from "../../../model/replay/replay-data.ts"
import type { StartData } from "./start-data.ts"

export function DemoDay({ run, page }: NonNullable<StartData["replay"]>): JSX.Element {
  const [data, setData] = useState<ReplayData | null>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    fetch(run)
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .then((found: ReplayData) => setData(found))
      .catch(() => setFailed(true))
  }, [run])
  if (hasFailed)
    return (
      <Banner tone="wait">
        The demo's day cannot be shown now. Its page is <a href={page}>Fleet replay</a>.
      </Banner>
    )
  if (data?.run === null || data === null) return <div class="replay show" aria-busy="true" />
  return <Played data={data} run={data.run} page={page} />
}

function Played({ data, run, page }: PlayedProps): JSX.Element {
  const start = useMemo(
    () => (): ReplayWorker => new Worker(data.worker ?? "", { type: "module" }),
    [data.worker],
  )
  return <ReplayShow {...{ run, start, page }} badge="Made-up, one seed" />
}

interface PlayedProps {
  readonly data: ReplayData
  readonly run: NonNullable<ReplayData["run"]>
  readonly page: string
}
