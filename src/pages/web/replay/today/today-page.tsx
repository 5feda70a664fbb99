/**
 * Today of a site, from the journal: the same map, curb and time line as a replay, with the playhead at the present. It shows what was
 * recorded; nothing can be changed, and what comes after now is a forecast in words and dashes.
 */

import type { JSX } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { SessionNotice } from "../../components/session-notice.tsx"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner, Empty, Failure, Toasts } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Mark } from "../../design/mark.tsx"
import { DOOR } from "../../ops/api.ts"
import { isRefusal } from "../../ops/board/live.ts"
import { EnvironmentBar } from "../../ops/environment-bar.tsx"
import { opsData } from "../../ops/session.ts"
import type { Environment } from "../../ops/session.ts"
import type { Actions } from "../actions.ts"
import { CurbView } from "../curb/curb-view.tsx"
import { Dock } from "../dock/dock.tsx"
import { DockFrame } from "../dock/dock-frame.tsx"
import { Transport } from "../dock/transport.tsx"
import { Head } from "../head.tsx"
import { MapView } from "../map/map-view.tsx"
import { ActorPanel } from "../panel/actor-panel.tsx"
import type { Playing } from "../playback.ts"
import { Player } from "../player.ts"
import { ShownDialog } from "../replay-page.tsx"
import type { Scene } from "../seen/scene.ts"
import { useActions, useChosen } from "../use-chosen.ts"
import { useMoment } from "../use-moment.ts"
import { WORDS_EVERY_MS, useSlowly } from "../use-slowly.ts"
import { ForecastLine, useExpected } from "./expected.tsx"
import type { ForecastToday } from "./expected.tsx"
import type { ReadDay } from "./day-reader.ts"
import { useToday } from "./use-today.ts"
import type { Today } from "./use-today.ts"

interface TodayProps {
  readonly siteId: string
  readonly environment: Environment
}

export function TodayPage({ siteId, environment }: TodayProps): JSX.Element {
  const player = useMemo(
    () => new Player({ hasMotion: !matchMedia("(prefers-reduced-motion: reduce)").matches }),
    [],
  )
  const today = useToday(siteId, player)
  const { scene } = today.day
  useEffect(() => {
    if (scene !== null) document.title = `${scene.head.title}, today - Curbline operations`
  }, [scene?.head.title])
  return (
    <div class="replay today">
      <EnvironmentBar environment={environment} />
      {scene === null ? (
        <>
          <Bar siteId={siteId} name={null} />
          <Unread day={today.day} onAgain={today.again} />
        </>
      ) : (
        // Of another day nothing is picked.
        <Opened key={scene.head.startMs} {...{ siteId, today, player, scene }} />
      )}
      <Toasts />
      <SessionNotice door={DOOR} name={opsData().me?.label ?? ""} />
    </div>
  )
}

interface BarProps {
  readonly siteId: string
  readonly name: string | null
  readonly actions?: Actions
  readonly onTable?: () => void
}

function Bar({ siteId, name, actions, onTable }: BarProps): JSX.Element {
  return (
    <header class="replay-top">
      <Mark />
      <h1>Today</h1>
      <nav class="crumbs" aria-label="Where this is">
        <a href={`/ops/sites/${encodeURIComponent(siteId)}`}>Board</a>
        {name !== null && (
          <>
            <Icon name="chevron-right" />
            <strong>{name}</strong>
          </>
        )}
      </nav>
      <span class="grow" />
      {actions !== undefined && (
        <>
          <button type="button" class="button" title="Find an actor or an order (/)" onClick={actions.find}>
            <Icon name="search" /> <span class="words">Find</span> <kbd aria-hidden="true">/</kbd>
          </button>
          <button type="button" class="button" title="Positions as a table" onClick={onTable}>
            <Icon name="clipboard" /> <span class="words">Positions</span>
          </button>
          <button
            type="button"
            class="button"
            title="Copy the address of this moment"
            onClick={actions.copyMoment}
          >
            <Icon name="link" /> <span class="words">Copy this moment</span>
          </button>
        </>
      )}
    </header>
  )
}

/** Before the first day is read, or when it cannot be. */
function Unread({ day, onAgain }: { readonly day: ReadDay; readonly onAgain: () => void }): JSX.Element {
  const { fault, state } = day
  const again = <Button onPress={onAgain}>Try again</Button>
  return (
    <main class="replay-unopened" id="content">
      {fault !== null ? (
        <Failure
          title={
            isRefusal(fault) ? "There is no such site, or you may not see it" : "The day could not be read"
          }
          failure={fault}
          action={isRefusal(fault) ? <ButtonLink href="/ops">All sites</ButtonLink> : again}
        />
      ) : state === "unavailable" ? (
        <Empty title="The day could not be made" action={again}>
          The service failed to read the journal of today, and tries again. Its log says why.
        </Empty>
      ) : (
        <p class="quiet" role="status">
          The journal of today is read.
        </p>
      )}
    </main>
  )
}

interface OpenedProps {
  readonly siteId: string
  readonly today: Today
  readonly player: Player
  readonly scene: Scene
}

function Opened({ siteId, today, player, scene }: OpenedProps): JSX.Element {
  const slow = useSlowly(player, WORDS_EVERY_MS)
  const forecast = useExpected(siteId, scene)
  const opened = useOpened({ today, player, scene })
  const { playing, shown, setShown, actions, pickOf } = opened
  const { fault } = today.day
  return (
    <>
      <Bar siteId={siteId} name={scene.head.title} actions={actions} onTable={() => setShown("positions")} />
      {fault !== null && (
        <Banner tone="wait">
          Not read since {scene.clock.second(scene.untilMs)}: {fault.message} The page shows what it read
          before.
        </Banner>
      )}
      <Head
        {...{ scene }}
        letter={null}
        against={null}
        ms={playing.ms}
        slowMs={slow.ms}
        isPlaying={playing.isPlaying}
        drawnVersion={today.version}
      />
      <Notes {...{ scene, forecast }} leftOut={today.day.leftOut} />
      <Body {...{ ...opened, today, player, scene, forecast }} />
      {shown !== null && (
        <ShownDialog {...{ scene, shown, pickOf, actions }} ms={playing.ms} onClose={() => setShown(null)} />
      )}
    </>
  )
}

/** What the reader has chosen on the page, and what buttons and keys do to it. */
function useOpened({ today, player, scene }: Omit<OpenedProps, "siteId">) {
  const chosen = useChosen(player, () => false)
  usePickedInEachScene({ ...chosen, ...chosen.set, scene })
  const used = { drawnVersion: today.version, status: { is: "done" as const } }
  const { copy } = useMoment({ ...chosen, ...chosen.set, scene, player, used, isNow: today.isNow })
  const { toNow } = today
  const more = useMemo(() => ({ toNow }), [toNow])
  const does = useActions(chosen, { scene, player, copy, comparison: null, more })
  return { ...chosen, ...does, setShown: chosen.set.setShown }
}

interface PickedProps {
  readonly scene: Scene
  readonly picked: number | null
  readonly setPicked: (actor: number | null) => void
}

/** Each answer numbers its actors anew: who is picked is found again by kind and name. */
function usePickedInEachScene({ scene, picked, setPicked }: PickedProps): void {
  const before = useRef(scene)
  useLayoutEffect(() => {
    const was = picked === null ? undefined : before.current.actors[picked]
    if (before.current === scene) return
    before.current = scene
    if (was === undefined) return
    const found = scene.actors.findIndex(({ kind, name }) => kind === was.kind && name === was.name)
    setPicked(found < 0 ? null : found)
  }, [scene])
}

interface NotesProps {
  readonly scene: Scene
  readonly leftOut: ReadDay["leftOut"]
  readonly forecast: ForecastToday
}

/** What the day is made of, what it does not have, and what is expected. */
function Notes({ scene, leftOut, forecast }: NotesProps): JSX.Element {
  const hasVehicles = scene.of("vehicle").length > 0
  const hasErrands = [...scene.orders().values()].some(({ order }) => order.product === "courier")
  return (
    <section class="today-notes" aria-label="What is known">
      <ForecastLine {...forecast} />
      <p class="quiet">
        From the journal of the service. Not known: what kitchens do{hasErrands ? ", " : " and "}the shifts of
        runners{hasErrands && ", errands before their booking"}
        {hasVehicles
          ? "; between two reports a vehicle's way is drawn straight, and places are rounded to about 100 m."
          : "."}
        {leftOut.map(({ what, count }) => ` Left out: ${count === 1 ? "" : `${count} `}${what}.`)}
      </p>
    </section>
  )
}

interface BodyProps
  extends Omit<OpenedProps, "siteId">, Omit<ReturnType<typeof useOpened>, "setShown" | "shown"> {
  readonly playing: Playing
  readonly forecast: ForecastToday
}

function Body(props: BodyProps): JSX.Element {
  const { today, player, scene, playing, picked, actions, pickOf } = props
  const both = { scene, player, playing, actions, comparison: null }
  return (
    <main class={`replay-body${picked === null ? "" : " has-actor"}`} id="content">
      <Stage {...props} />
      <DockFrame>
        <Transport {...both} isNow={today.isNow} />
        <Dock
          {...{ ...both, picked }}
          isComputing={false}
          drawnVersion={today.version}
          expected={props.forecast.expected}
        />
      </DockFrame>
      {picked !== null && (
        <ActorPanel
          {...{ scene, player }}
          actor={picked}
          ms={playing.ms}
          drawnVersion={today.version}
          isFollowing={props.isFollowing}
          served={null}
          journals={NO_JOURNALS}
          inspector={null}
          onFork={null}
          onFollow={actions.follow}
          onClose={() => actions.pick(null)}
          onPick={pickOf}
        />
      )}
    </main>
  )
}

/** Records of groups are the inspector's, which has its own right. */
const NO_JOURNALS = { recordOf: () => null, askJournal: () => undefined }

const NO_STREETS = {}

/** A site without vehicles has nothing on a map. */
function Stage({ today, player, scene, playing, site, picked, ...props }: BodyProps): JSX.Element {
  const { isFollowing, isCurbLarge, actions, mapKeys } = props
  const hasMap = scene.of("vehicle").length > 0
  const { toggleCurb, ...others } = actions
  return (
    <div class={`stage${hasMap ? (isCurbLarge ? " curb-large" : "") : " no-map"}`}>
      {hasMap && (
        <MapView
          {...{ scene, player, picked, isFollowing, site }}
          beside={NO_STREETS}
          ms={playing.ms}
          keys={mapKeys}
          drawnVersion={today.version}
          onPick={actions.pick}
          onSite={actions.showSite}
          onDrag={actions.letGo}
        />
      )}
      <CurbView
        {...{ scene, player, site, picked }}
        isLarge={isCurbLarge || !hasMap}
        actions={hasMap ? { ...others, toggleCurb } : others}
      />
      {scene.orders().size === 0 && (
        <div class="computing-card">
          <Empty title="Nothing happened today yet">
            No order of this site is due today, and none was worked on since midnight.
          </Empty>
        </div>
      )}
    </div>
  )
}
