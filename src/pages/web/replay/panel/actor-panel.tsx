/** The picked actor: what it does, its order, its last change and its next one, its journal and its day. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Pill } from "../../design/pill.tsx"
import { drawLane } from "../dock/drawing.ts"
import { busyOf } from "../dock/lane-rows.ts"
import { xOf } from "../dock/time-axis.ts"
import type { Axis } from "../dock/time-axis.ts"
import type { Player } from "../player.ts"
import { KIND_HUES, orderName, doingAt, kindAndSite, promisedAt } from "../seen/actor-words.ts"
import { titled } from "../seen/moment.ts"
import type { SeenOrder } from "../seen/orders.ts"
import type { Scene } from "../seen/scene.ts"
import { wordsOf } from "../seen/state-words.ts"
import { dwell } from "../seen/times.ts"
import { sized, usePalette, useSize } from "../use-size.ts"
import { GroupPart } from "./group-part.tsx"
import type { Served } from "./group-part.tsx"
import { Part } from "./part.tsx"
import type { Journals } from "./why-part.tsx"

interface ActorPanelProps {
  readonly scene: Scene
  readonly player: Player
  readonly actor: number
  readonly ms: number
  readonly isFollowing: boolean
  /** Grows a few times a second while the run is computed. */
  readonly drawnVersion: number
  /** Where the service has it; null for a runner without an order. */
  readonly served: Served | null
  readonly journals: Journals
  /** Path of the inspector's page; null where the host has none. */
  readonly inspector: string | null
  /** Opens what may be changed from this instant on, about this actor; null where nothing can be. */
  readonly onFork: (() => void) | null
  readonly onFollow: () => void
  readonly onClose: () => void
  readonly onPick: (actor: number) => void
}

export function ActorPanel(props: ActorPanelProps): JSX.Element | null {
  const { scene, player, actor, ms, isFollowing, served, onFork, onFollow } = props
  const known = scene.actors[actor]
  const box = useRef<HTMLElement>(null)
  // On a phone with the form of changes open the sheet is its heading alone, until this is pressed.
  const [isWhole, setWhole] = useState(false)
  useEffect(() => box.current?.focus({ preventScroll: true }), [actor])
  if (known === undefined) return null
  const hasPlace = scene.course.placeAt(actor, ms) !== null && known.kind === "vehicle"
  const seen = scene.order(
    known.kind === "order"
      ? actor
      : (scene.course.orderAt(actor, ms) ?? scene.orderNumbered(known.order?.number)),
  )
  return (
    <aside ref={box} class={`actor${isWhole ? " is-whole" : ""}`} tabIndex={-1} aria-label="Picked actor">
      <Header {...props} isWhole={isWhole} onToggle={() => setWhole((is) => !is)} />
      {(onFork !== null || hasPlace) && (
        <div class="actor-keys">
          {onFork !== null && (
            <Button
              look="primary"
              isSmall
              icon="git-branch"
              onPress={() => {
                setWhole(false)
                onFork()
              }}
            >
              Fork from here
            </Button>
          )}
          {hasPlace && (
            <button
              type="button"
              class="button small"
              aria-pressed={isFollowing}
              title="Follow on the map (F)"
              onClick={onFollow}
            >
              {isFollowing ? "Following on the map" : "Follow on the map"}
            </button>
          )}
        </div>
      )}
      {seen !== null && <OrderPart {...props} seen={seen} />}
      <LastAndNext {...props} />
      {served !== null && (
        <GroupPart
          {...{ scene, player, ms, served }}
          journals={props.journals}
          inspector={props.inspector}
          onPick={props.onPick}
        />
      )}
      <Day {...props} />
    </aside>
  )
}

interface HeaderProps extends ActorPanelProps {
  readonly isWhole: boolean
  readonly onToggle: () => void
}

function Header({ scene, actor, ms, onClose, isWhole, onToggle }: HeaderProps): JSX.Element {
  return (
    <header>
      <p class="quiet">
        <span class={`kind-square ${KIND_HUES[scene.actors[actor]?.kind ?? "order"]}`} aria-hidden="true" />{" "}
        {kindAndSite(scene, actor)}
      </p>
      <h2>{doingAt(scene, actor, ms)}</h2>
      <button type="button" class="actor-more" aria-expanded={isWhole} onClick={onToggle}>
        {isWhole ? "Less" : "Details"}
      </button>
      <Button look="quiet" icon="cross" label="Let go (Esc)" isSmall onPress={onClose} />
    </header>
  )
}

const PRODUCTS = { courier: "Courier errand", delivery: "Delivery", reservation: "Reservation" } as const
const PILL_ICONS = { bad: "triangle-alert", idle: "circle-dashed", ok: "check", wait: "clock" } as const

function OrderPart({
  scene,
  actor,
  ms,
  seen,
  onPick,
}: ActorPanelProps & { readonly seen: SeenOrder }): JSX.Element {
  const { order, site } = seen
  const at = scene.head.sites[site]
  const from =
    at?.stores[order.store]?.name ?? (order.product === "courier" ? "the errand's store" : at?.name)
  const { tone, word, promise, margin } = promisedAt(scene, seen, ms)
  const isOwn = seen.actor === actor
  const to =
    order.stall === null
      ? "to a door"
      : `stall ${(at?.stalls[order.stall] ?? "").replace(/^([A-Z]+)0+(?=\d)/, "$1")}`
  return (
    <Part
      title={`${PRODUCTS[order.product]} ${orderName(order.number)}`}
      aside={
        <Pill tone={tone} icon={PILL_ICONS[tone]}>
          {word}
        </Pill>
      }
    >
      <dl class="facts-list">
        <dt>From, to</dt>
        <dd>
          {titled(from ?? "")}, {to}
        </dd>
        <dt>{order.product === "reservation" ? "Window" : "Asked"}</dt>
        <dd>
          {scene.clock.minute(order.fromMs)} to {scene.clock.minute(order.promisedMs)}
        </dd>
        <dt>Promise</dt>
        <dd>
          {promise} · <strong class={tone === "bad" ? "bad" : ""}>{margin}</strong>
        </dd>
        {!isOwn && (
          <>
            <dt>Order</dt>
            <dd>
              <button type="button" class="as-link" onClick={() => onPick(seen.actor)}>
                {doingAt(scene, seen.actor, ms)}
              </button>
            </dd>
          </>
        )}
      </dl>
    </Part>
  )
}

function LastAndNext({ scene, actor, ms, player }: ActorPanelProps): JSX.Element {
  const changes = scene.course.changesOf(actor)
  const at = changes.findLastIndex(({ atMs }) => atMs <= ms)
  const [last, next] = [changes[at], changes[at + 1]]
  const kind = scene.actors[actor]?.kind ?? "runner"
  const row = (change: typeof last, when: string): JSX.Element | null =>
    change === undefined ? null : (
      <li class={when}>
        <button
          type="button"
          class="as-link mono"
          title="Move the playhead here"
          onClick={() => player.jump(change.atMs)}
        >
          {scene.clock.second(change.atMs)}
        </button>
        <span>{wordsOf(kind, change.state).does.replace(" ORDER", orderWords(scene, change.order))}</span>
        <span class="quiet">
          {when === "last" ? `${dwell(ms - change.atMs)} ago` : `in ${dwell(change.atMs - ms)}`}
        </span>
      </li>
    )
  return (
    <Part title="Last and next">
      <ul class="last-and-next">
        {row(last, "last")}
        {row(next, "next")}
        {next === undefined && (
          <li class="quiet">
            {scene.head.isRecord === true ? "Nothing more so far." : "No further change is computed."}
          </li>
        )}
      </ul>
    </Part>
  )
}

function orderWords(scene: Scene, order: number | null): string {
  const seen = scene.order(order)
  return seen === null ? " an order" : ` ${orderName(seen.order.number)}`
}

function Day({ scene, actor, ms, player, drawnVersion }: ActorPanelProps): JSX.Element | null {
  const holder = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width } = useSize(holder)
  const palette = usePalette()
  const axis: Axis = { width, endMs: scene.endMs }
  const kind = scene.actors[actor]?.kind ?? "order"
  useEffect(() => {
    const context = sized(canvas.current, { width, height: DAY_PX })
    if (context === null) return
    context.clearRect(0, 0, width, DAY_PX)
    drawLane(context, scene, { actor, axis, palette, top: 0, height: DAY_PX })
  }, [actor, width, palette, drawnVersion, axis.endMs])
  if (kind !== "runner" && kind !== "vehicle") return null
  const orders = new Set(
    scene.course.changesOf(actor).flatMap(({ order, atMs }) => (order === null || atMs > ms ? [] : [order])),
  ).size
  const busy = ms <= 0 ? 0 : Math.round((100 * busyOf(scene, actor, ms)) / ms)
  const hasShifts = scene.head.isRecord !== true
  return (
    <Part
      title="Its day so far"
      aside={
        <span class="quiet number">
          {orders} {orders === 1 ? "order" : "orders"}
          {hasShifts && ` · ${busy} % busy`}
        </span>
      }
    >
      <div ref={holder} class="own-day">
        <canvas
          ref={canvas}
          role="img"
          aria-label={hasShifts ? `Busy ${busy} % of the time so far` : "What it did so far"}
          onClick={(event) => {
            const { left } = event.currentTarget.getBoundingClientRect()
            player.jump(((event.clientX - left) / Math.max(1, width)) * scene.endMs)
          }}
        />
        <span class="own-playhead" style={{ left: `${xOf(axis, ms)}px` }} />
        <p class="own-ticks mono" aria-hidden="true">
          <span>{scene.clock.minute(0)}</span>
          <span>{scene.clock.minute(scene.endMs / 2)}</span>
          <span>{scene.clock.minute(scene.endMs)}</span>
        </p>
      </div>
    </Part>
  )
}

const DAY_PX = 18
