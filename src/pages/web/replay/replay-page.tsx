/** Fleet replay: a run of a fleet model that moves, on a map, at its curb and on one time line. Everything it shows is an address. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner, Toasts, toast } from "../design/feedback.tsx"
import type { Actions, Shown } from "./actions.ts"
import { Body } from "./body.tsx"
import { DAYS, shownAs } from "./compare/comparison.ts"
import { modeOf, useDays } from "./compare/use-days.ts"
import type { Days } from "./compare/use-days.ts"
import { EnvironmentBar, UnlikeDigest } from "./environment-bar.tsx"
import { FindActor } from "./find-actor.tsx"
import { Head } from "./head.tsx"
import { KeysDialog } from "./keys.tsx"
import { Player } from "./player.ts"
import { Positions } from "./positions.tsx"
import type { Scene } from "./seen/scene.ts"
import { vehicleWords } from "./seen/actor-words.ts"
import { saveAsFile } from "./save.ts"
import type { ReplayWorker, Session } from "./session.ts"
import type { ReplaySource } from "./source.ts"
import { TopBar } from "./top-bar.tsx"
import { useActions, useChosen } from "./use-chosen.ts"
import { useMoment, usePickedOnEachDay } from "./use-moment.ts"
import { useSession } from "./use-session.ts"
import type { UsedSession } from "./use-session.ts"
import { WORDS_EVERY_MS, useSlowly } from "./use-slowly.ts"
import { nextMinute } from "./what-if/made-changes.ts"
import { WhatIfPane } from "./what-if/what-if-pane.tsx"
import { useWhatIf } from "./what-if/what-if.ts"
import type { WhatIf } from "./what-if/what-if.ts"

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
  const whatIf = useWhatIf({ run: source.run, first: used, start })
  const days = useDays()
  const mode = whatIf.isChanged ? modeOf(days) : null
  const changed = days.day === "changed" ? changedDay(used, whatIf.session) : null
  const { comparison } = whatIf
  useEffect(() => {
    // Of two days the playhead goes to the end of the longer one.
    const untilMs = comparison?.untilMs ?? (status.is === "done" ? scene?.untilMs : undefined)
    if (untilMs !== undefined) player.computed({ computedMs: untilMs, endMs: untilMs })
  }, [comparison])
  return (
    <div class="replay">
      <EnvironmentBar run={source.run} seed={scene?.head.seed ?? source.run.seed} status={status} />
      <UnlikeDigest run={source.run} status={status} />
      {scene === null ? (
        <Unopened source={source} used={used} />
      ) : (
        <Opened
          key={scene.head.title}
          used={changed ?? used}
          scene={changed?.scene ?? scene}
          days={changed === null ? { ...days, day: "written" } : days}
          {...{ source, player, whatIf, mode }}
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
    onSeeds: (seeds, take) => session.onSeeds(seeds, take),
  }
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
  /** `day` is the one of `scene`. */
  readonly days: Days
  /** The days that are chosen, as the address has them; null without a changed day. */
  readonly mode: string | null
}

function Opened(props: OpenedProps): JSX.Element {
  const { source, used, scene, player, whatIf, days } = props
  const { drawnVersion } = used
  const { comparison } = whatIf
  const slow = useSlowly(player, WORDS_EVERY_MS)
  const {
    playing,
    picked,
    site,
    isFollowing,
    isCurbLarge,
    isWhatIf,
    shown,
    setShown,
    actions,
    mapKeys,
    pickOf,
    momentNow,
  } = useOpened(props)
  const parts = { source, used, scene, player, days, comparison, playing, picked, site }
  return (
    <>
      <TopBar
        {...{ source, used }}
        {...(actions.whatIf === undefined ? {} : { onWhatIf: actions.whatIf })}
        onFind={actions.find}
        onTable={() => setShown("positions")}
        onCopy={actions.copyMoment}
        {...(source.save === null ? {} : { onSave: () => void saveAsFile(source, momentNow()) })}
      />
      <Failed used={used} />
      <Unknown whatIf={whatIf} />
      <Head
        {...{ scene, drawnVersion }}
        letter={comparison === null ? null : DAYS[days.day].letter}
        against={days.day === "changed" ? (comparison?.scenes.written ?? null) : null}
        ms={playing.ms}
        slowMs={slow.ms}
        isPlaying={playing.isPlaying}
      />
      <Body
        {...parts}
        {...{ isFollowing, isCurbLarge, actions, mapKeys, pickOf }}
        changed={!whatIf.isChanged ? null : { status: whatIf.session?.status ?? null }}
        pane={
          isWhatIf ? (
            <Numbers
              {...props}
              ms={playing.ms}
              picked={picked === null ? null : (scene.actors[picked]?.name ?? null)}
              onPick={(actor) => actor !== null && pickOf(actor)}
              onClose={() => actions.whatIf?.()}
            />
          ) : null
        }
      />
      {shown !== null && (
        <ShownDialog {...{ scene, shown, pickOf, actions }} ms={playing.ms} onClose={() => setShown(null)} />
      )}
    </>
  )
}

/** What an address changes and the model does not know; everything else of the address holds. */
function Unknown({ whatIf: { unknown, forgetUnknown } }: Pick<OpenedProps, "whatIf">): JSX.Element | null {
  if (unknown.length === 0) return null
  return (
    <Banner tone="wait">
      The address changes what this model does not have: {unknown.join("; ")}.{" "}
      <Button isSmall onPress={forgetUnknown}>
        Close
      </Button>
    </Banner>
  )
}

/** What the reader has chosen on the page, and what buttons and keys do to it. */
function useOpened({ used, scene, player, whatIf, days, mode }: OpenedProps) {
  const both = days.isBoth ? whatIf.comparison : null
  const chosen = useChosen(player, () => scene.head.sites.every(({ area }) => area.length === 0))
  const [isWhatIf, setWhatIf] = useState(false)
  usePickedOnEachDay({ ...chosen, ...chosen.set, scene, comparison: whatIf.comparison })
  const { copy, now: momentNow } = useMoment({
    ...chosen,
    ...chosen.set,
    scene,
    player,
    used,
    isWhole:
      used.status.is !== "computing" &&
      whatIf.written !== null &&
      (!whatIf.isChanged || whatIf.comparison !== null || whatIf.session?.status.is === "failed"),
    days: whatIf.written === null ? null : { ...whatIf.written, mode },
  })
  const hasChange = whatIf.isChanged
  const more = useMemo(
    () => ({ whatIf: () => setWhatIf((is) => !is), nextDay: hasChange ? days.next : noOtherDay }),
    [days.next, hasChange],
  )
  const does = useActions(chosen, { scene, player, copy, comparison: both, more })
  return { ...chosen, ...does, isWhatIf, setShown: chosen.set.setShown, momentNow }
}

function noOtherDay(): void {
  toast("There is no changed day: change something under What if (W).")
}

interface NumbersProps extends OpenedProps {
  readonly ms: number
  readonly picked: string | null
  readonly onPick: (actor: number | null) => void
  readonly onClose: () => void
}

function Numbers(props: NumbersProps): JSX.Element {
  const { source, used, scene, player, onPick, whatIf, days, onClose, picked, ms } = props
  return (
    <WhatIfPane
      {...{ whatIf, onClose, picked }}
      numbers={used.numbers}
      offers={used.offers}
      atMs={nextMinute(scene.head, ms)}
      horizonMs={scene.head.horizonMs}
      run={source.run}
      vehicleWords={(name) => vehicleWords(scene.head, name)}
      timeOf={(atMs) => scene.clock.second(atMs)}
      onJump={(toMs) => {
        player.pause()
        player.jump(toMs)
      }}
      onPick={(name) => onPick(shownAs(whatIf.comparison, days.day, name))}
    />
  )
}

interface DialogProps {
  readonly scene: Scene
  readonly actions: Actions
  readonly shown: Exclude<Shown, null>
  readonly ms: number
  readonly pickOf: (actor: number) => void
  readonly onClose: () => void
}

export function ShownDialog({ scene, actions, shown, ms, pickOf, onClose }: DialogProps): JSX.Element {
  if (shown === "keys") return <KeysDialog {...{ actions, onClose }} />
  const parts = { scene, ms, onPick: pickOf, onClose }
  return shown === "find" ? <FindActor {...parts} /> : <Positions {...parts} />
}
