/** The page of one delivery or reservation: its head, what can be done with it, what was sent for it, and its facts. */

import type { ComponentChildren, JSX } from "preact"
import { api, dataOf } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import { Head } from "../../frame.tsx"
import { isSending, useLive } from "../../live.ts"
import { useResource } from "../../../resource.ts"
import type { Resource } from "../../../resource.ts"
import type { PageProps } from "../../session.ts"
import { Cancel } from "./cancel.tsx"
import { listOf } from "./noun.ts"
import type { Noun } from "./noun.ts"
import { Opening } from "../problem.tsx"
import { RequestsMade } from "../requests-made.tsx"
import { Events } from "../sent-events.tsx"
import { Timeline } from "./timeline.tsx"

/** ms between two looks at something under way */
const REFRESH_MS = 3000

/** What a detail page reads, all of it again when something happens. */
export interface Detail<Data> {
  readonly noun: Noun
  readonly page: PageProps
  readonly data: Data | null
  readonly opening: JSX.Element
  readonly events: Resource<{ readonly events: readonly Schemas["SentEvent"][] }>
  readonly reload: () => Promise<void>
}

/** `read`: the thing itself; `more`: what else the page shows of it. */
export function useDetail<Data>(
  noun: Noun,
  page: PageProps,
  read: () => Promise<Data>,
  more: readonly Resource<unknown>[] = [],
): Detail<Data> {
  const { id, environment } = page
  const params = { path: { id }, query: { environment } }
  const state = useResource(read, [id])
  const events = useResource(() => dataOf(api.GET(`/portal/api/${noun.many}/{id}/events`, { params })), [id])
  const reload = async (): Promise<void> => {
    await Promise.all([state, events, ...more].map((resource) => resource.reload()))
  }
  const concerns = (group: string): boolean => group === `${noun.one}/${id}` || isSending(group)
  useLive(reload, { concerns, ms: REFRESH_MS })
  const list = [noun.name, listOf(noun)] as const
  const opening = <Opening resource={state} noun={noun.one} id={id} list={list} />
  return { noun, page, data: state.data, opening, events, reload }
}

interface DetailPageProps {
  readonly detail: Detail<unknown>
  /** "Order 1001". */
  readonly name: string
  readonly pill: JSX.Element
  readonly lead: ComponentChildren
  readonly isOver: boolean
  readonly zone: string | null
  /** What cancelling says; not shown at the end. */
  readonly cancel: Pick<Parameters<typeof Cancel>[0], "happens" | "hint" | "title" | "typed">
  /** Between the head and what was sent. */
  readonly above: ComponentChildren
  /** After the events that were sent. */
  readonly children?: ComponentChildren
  /** The id in paths of the API. */
  readonly idInApi: string
  readonly aside: ComponentChildren
}

export function DetailPage(props: DetailPageProps): JSX.Element {
  const { detail, name, pill, lead, isOver, zone, cancel, above, children, idInApi, aside } = props
  const { noun, events, reload } = detail
  const { id, environment } = detail.page
  const params = { path: { id }, query: { environment } }
  return (
    <div class="content">
      <Head
        crumbs={[[noun.name, listOf(noun)]]}
        here={name}
        title={
          <>
            {name} {pill}
          </>
        }
        lead={lead}
      >
        {isOver ? null : <Cancel noun={noun} id={id} environment={environment} onDone={reload} {...cancel} />}
      </Head>
      {above}
      <div class="split-page">
        <div class="stack">
          <Events
            product={noun.many}
            isOver={isOver}
            events={events.data?.events ?? null}
            zone={zone}
            environment={environment}
            onSent={events.reload}
          />
          {children}
          <Timeline
            what={noun.one}
            zone={zone}
            read={() => dataOf(api.GET(`/portal/api/${noun.many}/{id}/timeline`, { params }))}
          />
          <RequestsMade path={`/${noun.many}/${encodeURIComponent(idInApi)}`} environment={environment} />
        </div>
        <aside class="stack" aria-label={`The ${noun.one}`}>
          {aside}
        </aside>
      </div>
    </div>
  )
}
