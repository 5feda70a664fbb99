/** Fleet replay: a run of a fleet model that moves, on a map, at its curb and on one time line. Everything it shows is an address. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Button, Copy, hasCopied, shortened } from "../design/button.tsx"
import { Banner, Empty, Toasts, toast } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import type { Actions } from "./actions.ts"
import { readMoment, withMoment } from "./address.ts"
import { CARD_AFTER_MS, ComputingCard } from "./computing.tsx"
import { CurbView } from "./curb/curb-view.tsx"
import { Dock } from "./dock/dock.tsx"
import { Transport } from "./dock/transport.tsx"
import { FindActor } from "./find-actor.tsx"
import { Head } from "./head.tsx"
import { KeysDialog, useKeys } from "./keys.tsx"
import { StandingPill } from "./late-pill.tsx"
import { MapView } from "./map/map-view.tsx"
import type { MapKeys } from "./map/map-view.tsx"
import { ActorPanel } from "./panel/actor-panel.tsx"
import { servedAt } from "./panel/group-part.tsx"
import { neighbor } from "./playback.ts"
import type { Playing } from "./playback.ts"
import { Player } from "./player.ts"
import { Positions } from "./positions.tsx"
import type { Scene } from "./seen/scene.ts"
import type { ReplayWorker, Session } from "./session.ts"
import type { ReplaySource } from "./source.ts"
import { useSession } from "./use-session.ts"
import type { UsedSession } from "./use-session.ts"
import { NUMBERS_EVERY_MS, WORDS_EVERY_MS, useSlowly } from "./use-slowly.ts"
import { WhatIfPane } from "./what-if-pane.tsx"
import type { ShownDay } from "./what-if-pane.tsx"
import { useWhatIf } from "./what-if.ts"
import type { WhatIf } from "./what-if.ts"

interface ReplayPageProps {
  readonly source: ReplaySource
  readonly start: () => ReplayWorker
}

export function ReplayPage({ source, start }: ReplayPageProps): JSX.Element {
  const player = useMemo(
    () => new Player({ hasMotion: !matchMedia("(prefers-reduced-motion: reduce)").matches }),
    [],
  )
  const used = useSession({ run: source.run, start, player })
  const { scene, status } = used
  const whatIf = useWhatIf({ run: source.run, numbers: used.numbers, first: used, start })
  const [day, setDay] = useState<ShownDay>("written")
  const shown = day === "changed" ? changedDay(used, whatIf.session) : null
  return (
    <div class="replay">
      <div class="environment local" role="region" aria-label="Environment">
        <span class="badge">LOCAL</span>
        <span>
          Virtual time, computed in this browser<span class="more">. Nothing leaves this machine.</span>
        </span>
        <span class="end">
          <span>
            seed <span class="mono strong">{scene?.head.seed ?? source.run.seed}</span>
          </span>
          {status.is === "done" && (
            <span class="digest">
              digest{" "}
              <span class="mono strong" title={status.digest} data-digest={status.digest}>
                {shortened(status.digest)}
              </span>{" "}
              <Copy text={status.digest} label="Copy the digest" />
            </span>
          )}
        </span>
      </div>
      {scene === null ? (
        <Unopened source={source} used={used} />
      ) : (
        <Opened
          key={scene.head.title}
          used={shown ?? used}
          scene={shown?.scene ?? scene}
          day={shown === null ? "written" : "changed"}
          onDay={setDay}
          {...{ source, player, whatIf }}
        />
      )}
      <Toasts />
    </div>
  )
}

/** The changed day in place of the written one, once it is whole. */
function changedDay(used: UsedSession, session: Session | null): UsedSession | null {
  if (session === null || session.scene === null || session.status.is !== "done") return null
  return {
    ...used,
    scene: session.scene,
    status: session.status,
    recordOf: (group) => session.journals.get(group) ?? null,
    askJournal: (group) => session.askJournal(group),
  }
}

function TopBar({
  source,
  used,
  onWhatIf,
  onFind,
  onTable,
  onCopy,
}: {
  readonly source: ReplaySource
  readonly used: UsedSession
  readonly onWhatIf?: () => void
  readonly onFind?: () => void
  readonly onTable?: () => void
  readonly onCopy?: () => void
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
    </header>
  )
}

/** Before the model is read, or when it cannot be. */
function Unopened({
  source,
  used,
}: {
  readonly source: ReplaySource
  readonly used: UsedSession
}): JSX.Element {
  return (
    <>
      <TopBar source={source} used={used} />
      <main class="replay-unopened">
        {used.status.is === "failed" ? (
          <Failed used={used} />
        ) : (
          <p class="quiet" role="status">
            The simulator is loaded and reads the model.
          </p>
        )}
      </main>
    </>
  )
}

/** What is computed stays below it and can be played. */
function Failed({ used }: { readonly used: UsedSession }): JSX.Element | null {
  const { status } = used
  if (status.is === "stopped")
    return (
      <Banner tone="wait">
        Stopped: what is computed can be played.{" "}
        <Button isSmall onPress={used.again}>
          Compute again
        </Button>
      </Banner>
    )
  if (status.is !== "failed") return null
  const { message, place } = status.mistake
  return (
    <Banner tone="bad">
      <p>
        <strong>The run failed:</strong> {message}
        {place !== null && (
          <span class="mono">
            {" "}
            ({place.file}:{place.line}:{place.column})
          </span>
        )}
      </p>
      <Button isSmall onPress={used.again}>
        Compute again
      </Button>
    </Banner>
  )
}

interface OpenedProps {
  readonly source: ReplaySource
  readonly used: UsedSession
  readonly scene: Scene
  readonly player: Player
  readonly whatIf: WhatIf
  readonly day: ShownDay
  readonly onDay: (day: ShownDay) => void
}

type Shown = "find" | "keys" | "positions" | null

function Opened(props: OpenedProps): JSX.Element {
  const { source, used, scene, player } = props
  const { drawnVersion } = used
  const playing = useSlowly(player, NUMBERS_EVERY_MS)
  const slow = useSlowly(player, WORDS_EVERY_MS)
  const [picked, setPicked] = useState<number | null>(null)
  const [site, setSite] = useState(0)
  const [isFollowing, setFollowing] = useState(false)
  const [isCurbLarge, setCurbLarge] = useState(() => scene.head.sites.every(({ area }) => area.length === 0))
  const [shown, setShown] = useState<Shown>(null)
  const [isWhatIf, setWhatIf] = useState(false)
  usePickedByName(scene, picked, setPicked)
  const mapKeys = useMemo((): MapKeys => ({}), [])
  const moved = useMoment({ scene, player, playing, picked, site, setPicked, setSite, used })
  const actions = useMemo(
    () =>
      actionsOf({
        scene,
        player,
        setPicked,
        setSite,
        setFollowing,
        setCurbLarge,
        setShown,
        setWhatIf,
        copy: moved.copy,
      }),
    [scene, player, moved.copy],
  )
  useKeys(player, actions, mapKeys)
  useEffect(() => setFollowing(false), [picked])
  const pickOf = (actor: number): void => {
    setShown(null)
    setPicked(actor)
    const own = scene.actors[actor]?.site
    if (own !== undefined) setSite(own)
  }
  return (
    <>
      <TopBar
        {...{ source, used }}
        onWhatIf={actions.whatIf}
        onFind={actions.find}
        onTable={() => setShown("positions")}
        onCopy={actions.copyMoment}
      />
      <Failed used={used} />
      <Head {...{ scene, drawnVersion }} ms={playing.ms} slowMs={slow.ms} isPlaying={playing.isPlaying} />
      <Body
        {...{ ...props, playing, picked, site, isFollowing, isCurbLarge }}
        {...{ actions, mapKeys, pickOf }}
        pane={
          isWhatIf && (
            <Numbers
              {...props}
              onPick={(actor) => actor !== null && pickOf(actor)}
              onClose={() => setWhatIf(false)}
            />
          )
        }
      />
      {shown !== null && (
        <ShownDialog {...{ scene, shown, pickOf }} ms={playing.ms} onClose={() => setShown(null)} />
      )}
    </>
  )
}

interface NumbersProps extends OpenedProps {
  readonly onPick: (actor: number | null) => void
  readonly onClose: () => void
}

function Numbers({ source, used, scene, player, onPick, ...given }: NumbersProps): JSX.Element {
  return (
    <WhatIfPane
      {...given}
      numbers={used.numbers}
      file={source.run.file}
      timeOf={(ms) => scene.clock.second(ms)}
      onJump={(ms) => {
        player.pause()
        player.jump(ms)
      }}
      onPick={(name) => onPick(scene.numberOf(name))}
    />
  )
}

interface BodyProps extends OpenedProps {
  readonly playing: Playing
  readonly picked: number | null
  readonly site: number
  readonly isFollowing: boolean
  readonly isCurbLarge: boolean
  readonly actions: Actions
  readonly mapKeys: MapKeys
  readonly pickOf: (actor: number) => void
  /** Lies over the map. */
  readonly pane: ComponentChildren
}

/** Map and curb, the time line under them, and the picked actor beside both. */
function Body(props: BodyProps): JSX.Element {
  const { source, used, scene, player, playing, picked, site, isFollowing, isCurbLarge } = props
  const { actions, mapKeys, pickOf } = props
  const { status, drawnVersion } = used
  const isComputing = status.is === "computing"
  const [isDockOpen, setDockOpen] = useState(false)
  const served = picked === null ? null : servedAt(scene, picked, playing.ms)
  const group = served?.group ?? null
  useEffect(() => {
    if (group !== null) used.askJournal(group)
  }, [group, status.is, scene])
  return (
    <main class={`replay-body${picked === null ? "" : " has-actor"}`}>
      <div class={`stage${isCurbLarge ? " curb-large" : ""}`}>
        <MapView
          {...{ scene, player, picked, isFollowing, site, drawnVersion }}
          beside={source.run.beside}
          ms={playing.ms}
          keys={mapKeys}
          onPick={actions.pick}
          onSite={actions.showSite}
          onDrag={actions.letGo}
        />
        <CurbView {...{ scene, player, site, picked, actions }} isLarge={isCurbLarge} />
        <OverMap {...{ scene, used, player }} />
        {props.pane}
      </div>
      <div class={`dock${isDockOpen ? " is-open" : ""}`}>
        <button
          type="button"
          class="dock-more"
          aria-expanded={isDockOpen}
          onClick={() => setDockOpen((isOpen) => !isOpen)}
        >
          {isDockOpen ? "Less" : "Waits and people"}
        </button>
        <Transport {...{ scene, player, playing, actions }} />
        <Dock {...{ scene, player, playing, actions, picked, isComputing, drawnVersion }} />
      </div>
      {picked !== null && (
        <ActorPanel
          {...{ scene, player, isFollowing, drawnVersion }}
          actor={picked}
          ms={playing.ms}
          served={served}
          recordOf={used.recordOf}
          onFollow={actions.follow}
          onClose={() => actions.pick(null)}
          onPick={pickOf}
        />
      )}
    </main>
  )
}

/** What lies over the map: the card of the computing, or that there is nothing to see. */
function OverMap({
  scene,
  used,
  player,
}: Pick<OpenedProps, "player" | "scene" | "used">): JSX.Element | null {
  const [isCardClosed, setCardClosed] = useState(false)
  const { status } = used
  const isComputing = status.is === "computing"
  const [isLong, setLong] = useState(false)
  // A worker that is silent for a while is what the card is for, so it does not wait for a message.
  useEffect(() => {
    if (!isComputing) return setLong(false)
    const timer = setTimeout(() => setLong(true), CARD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isComputing])
  const isCardShown = isComputing && !isCardClosed && isLong
  const hasNoOrder = status.is === "done" && scene.orders().size === 0
  return (
    <>
      {isCardShown && (
        <ComputingCard
          scene={scene}
          turns={status.turns}
          wallMs={used.wallMs}
          onPlay={() => {
            setCardClosed(true)
            player.toggle()
          }}
          onStop={used.stop}
        />
      )}
      {hasNoOrder && (
        <div class="computing-card">
          <Empty title="No order on this day">
            The model has no demand in these hours; add some under "demand".
          </Empty>
        </div>
      )}
    </>
  )
}

interface DialogProps {
  readonly scene: Scene
  readonly shown: Exclude<Shown, null>
  readonly ms: number
  readonly pickOf: (actor: number) => void
  readonly onClose: () => void
}

function ShownDialog({ scene, shown, ms, pickOf, onClose }: DialogProps): JSX.Element {
  if (shown === "keys") return <KeysDialog onClose={onClose} />
  const parts = { scene, ms, onPick: pickOf, onClose }
  return shown === "find" ? <FindActor {...parts} /> : <Positions {...parts} />
}

interface ActionParts {
  readonly scene: Scene
  readonly player: Player
  readonly setPicked: (actor: number | null) => void
  readonly setSite: (site: number) => void
  readonly setFollowing: (change: (is: boolean) => boolean) => void
  readonly setCurbLarge: (change: (is: boolean) => boolean) => void
  readonly setShown: (shown: Shown) => void
  readonly setWhatIf: (change: (is: boolean) => boolean) => void
  readonly copy: () => void
}

function actionsOf(parts: ActionParts): Actions {
  const { scene, player, setPicked, setSite, setFollowing, setCurbLarge, setShown } = parts
  const jumpTo = (ms: number | null, otherwise: string): void => {
    if (ms === null) toast(otherwise)
    else {
      player.pause()
      player.jump(ms)
    }
  }
  return {
    step: (side) =>
      jumpTo(neighbor(scene.instants, player.playing.ms, side), "Nothing more is computed on this side."),
    toBreak: (side) => {
      const breaks = scene.breaks.map(({ atMs }) => atMs)
      jumpTo(
        neighbor(breaks, player.playing.ms, side),
        side === 1 ? "Nothing breaks after this." : "Nothing broke before this.",
      )
    },
    toWorst: () => jumpTo(scene.worstMs(), "No order is late in this run."),
    pick: (actor) => {
      setPicked(actor)
      const own = actor === null ? undefined : scene.actors[actor]?.site
      if (own !== undefined) setSite(own)
    },
    showSite: setSite,
    toggleCurb: () => setCurbLarge((is) => !is),
    follow: () => setFollowing((is) => !is),
    letGo: () => setFollowing(() => false),
    whatIf: () => parts.setWhatIf((is) => !is),
    find: () => setShown("find"),
    showKeys: () => setShown("keys"),
    copyMoment: parts.copy,
  }
}

/** Another day has its actors under other numbers: who is picked is found again by name. */
function usePickedByName(
  scene: Scene,
  picked: number | null,
  setPicked: (actor: number | null) => void,
): void {
  const before = useRef({ scene, name: "" })
  useEffect(() => {
    if (before.current.scene !== scene && picked !== null) setPicked(scene.numberOf(before.current.name))
    before.current = { scene, name: picked === null ? "" : (scene.actors[picked]?.name ?? "") }
  }, [scene, picked])
}

interface MomentParts extends Pick<OpenedProps, "player" | "scene" | "used"> {
  readonly playing: { readonly ms: number; readonly isPlaying: boolean }
  readonly picked: number | null
  readonly site: number
  readonly setPicked: (actor: number | null) => void
  readonly setSite: (site: number) => void
}

/** The address opens its moment as soon as that is computed, and then follows the page. */
function useMoment(parts: MomentParts): { readonly copy: () => void } {
  const { scene, player, playing, picked, site, setPicked, setSite, used } = parts
  const wanted = useRef(readMoment(location.hash))
  const isOver = used.status.is !== "computing"
  useEffect(() => {
    const { ms, pick, site: named } = wanted.current
    const at = named === null ? -1 : scene.head.sites.findIndex(({ name }) => name === named)
    if (at >= 0) setSite(at)
    if (pick === null && ms === null) return
    // Of an actor that comes later, the name is known later.
    const actor = pick === null ? null : scene.numberOf(pick)
    if (actor !== null) setPicked(actor)
    if (ms !== null && (scene.untilMs >= ms || isOver)) player.jump(ms)
    wanted.current = {
      ms: ms !== null && scene.untilMs < ms && !isOver ? ms : null,
      pick: pick !== null && actor === null && !isOver ? pick : null,
      site: null,
    }
  }, [used.drawnVersion])
  const hadMoment = useRef(wanted.current.ms !== null)
  useEffect(() => {
    if (used.status.is === "done" && !hadMoment.current && player.hasMotion && player.playing.ms === 0)
      if (!player.playing.isPlaying) player.toggle()
  }, [used.status.is])
  const { ms, isPlaying } = playing
  const fragment = (): string =>
    withMoment(location.hash, {
      ms: player.playing.ms,
      pick: picked === null ? null : (scene.actors[picked]?.name ?? null),
      site: scene.head.sites.length > 1 ? (scene.head.sites[site]?.name ?? null) : null,
    })
  const now = useRef(fragment)
  now.current = fragment
  useEffect(() => {
    // Not while the wanted moment is still computed, and not at each frame.
    if (isPlaying || wanted.current.ms !== null || wanted.current.pick !== null || scene.untilMs === 0) return
    history.replaceState(null, "", now.current())
  }, [ms, isPlaying, picked, site])
  const copy = useMemo(
    () => async (): Promise<void> => {
      history.replaceState(null, "", now.current())
      const { href } = location
      toast((await hasCopied(href)) ? "The address of this moment is copied." : `Copy this: ${href}`)
    },
    [],
  )
  return useMemo(() => ({ copy: () => void copy() }), [copy])
}
