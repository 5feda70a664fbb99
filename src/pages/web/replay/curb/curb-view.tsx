/** The curb of one site from above: kitchens on top, runners between, robots in their stalls, the street below. */

import type { JSX } from "preact"
import { useRef } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import { Pill } from "../../design/pill.tsx"
import type { Actions } from "../actions.ts"
import { orderName } from "../seen/actor-words.ts"
import type { Player } from "../player.ts"
import { longestWait, titled, waitWords } from "../seen/moment.ts"
import { dwell } from "../seen/times.ts"
import type { Scene } from "../seen/scene.ts"
import { useSize } from "../use-size.ts"
import { NUMBERS_EVERY_MS, useSlowly } from "../use-slowly.ts"
import { curbAt, storesAt } from "./curb-scene.ts"
import type {
  CurbRobot,
  CurbRunner,
  CurbScene,
  CurbStall,
  CurbStore,
  CurbVehicle,
  RunnerPlace,
} from "./curb-scene.ts"

interface CurbProps {
  readonly scene: Scene
  readonly player: Player
  readonly site: number
  readonly picked: number | null
  readonly isLarge: boolean
  /** Without `toggleCurb` it has one size. */
  readonly actions: Partial<Pick<Actions, "toggleCurb">> & Pick<Actions, "pick" | "showSite">
  /** Null while one day is shown. */
  readonly other?: OtherCurb | null
}

/** The other day at the same curb: its robots are ghosts in stalls that are empty here. */
export interface OtherCurb {
  readonly scene: Scene
  /** `A` or `B`. */
  readonly letter: string
  /** Robots that differ from the other day have a ring. */
  readonly hasRings: boolean
}

/** ms; 30 pictures a second. */
const MOVES_EVERY_MS = 33

export function CurbView({
  scene,
  player,
  site,
  picked,
  isLarge,
  actions,
  other = null,
}: CurbProps): JSX.Element {
  const { ms } = useSlowly(player, NUMBERS_EVERY_MS)
  const waiting = longestWait(scene, ms, site)
  return (
    <section class="curb-part" aria-label="Curb">
      <header class="curb-head">
        <Icon name="store" />
        <SiteChoice {...{ scene, site }} onSite={actions.showSite} />
        <span class="grow" />
        {waiting === null ? (
          <span class="quiet">{scene.untilMs === 0 ? "nothing yet" : "nothing waits"}</span>
        ) : (
          <Pill tone="wait" icon="clock">
            {waitWords(waiting)}
          </Pill>
        )}
        {actions.toggleCurb !== undefined && (
          <button
            type="button"
            class="key"
            aria-pressed={isLarge}
            aria-label="Curb large"
            title="Curb large (C)"
            onClick={actions.toggleCurb}
          >
            <Icon name="maximize" />
          </button>
        )}
      </header>
      <div class="kitchens">
        {storesAt(scene, site, ms).map((store) => (
          <Kitchen key={store.name} store={store} picked={picked} onPick={actions.pick} />
        ))}
      </div>
      <Moving {...{ scene, player, site, picked, other }} onPick={actions.pick} />
    </section>
  )
}

const SITES_AS_KEYS = 3

interface SiteChoiceProps extends Pick<CurbProps, "scene" | "site"> {
  readonly onSite: (site: number) => void
}

/** Few sites have a key each. */
function SiteChoice({ scene, site, onSite }: SiteChoiceProps): JSX.Element {
  const { sites } = scene.head
  return sites.length <= SITES_AS_KEYS ? (
    <div class="joined" role="group" aria-label="Site">
      {sites.map(({ name }, number) => (
        <button key={name} type="button" aria-pressed={number === site} onClick={() => onSite(number)}>
          {titled(name)}
        </button>
      ))}
    </div>
  ) : (
    <select
      aria-label="Site"
      value={site}
      onChange={({ currentTarget }) => onSite(Number(currentTarget.value))}
    >
      {sites.map(({ name }, number) => (
        <option key={name} value={number}>
          {titled(name)}
        </option>
      ))}
    </select>
  )
}

const TICKETS_MAX = 10

interface Picks {
  readonly picked: number | null
  readonly onPick: (actor: number) => void
}

function Kitchen({ store, picked, onPick }: Picks & { readonly store: CurbStore }): JSX.Element {
  const { name, ready, cooking, tickets } = store
  const shown = tickets.slice(0, tickets.length > TICKETS_MAX ? TICKETS_MAX - 1 : TICKETS_MAX)
  return (
    <section class="kitchen" aria-label={`Kitchen ${name}`}>
      <header>
        <h3>{titled(name)}</h3>
        <span class="number">
          {ready} ready{cooking === null ? "" : `, ${cooking} cooking`}
        </span>
      </header>
      <div class="tickets">
        {shown.map(({ actor, number, stage, share, isLate }) => (
          <button
            key={actor}
            type="button"
            class={`ticket ${stage.replace(" ", "-")}${isLate ? " late" : ""}`}
            style={stage === "cooking" ? { "--share": `${Math.round(share * 100)}%` } : {}}
            aria-pressed={actor === picked}
            aria-label={`Order ${number}, ${stage}${isLate ? ", late" : ""}`}
            onClick={() => onPick(actor)}
          >
            {shortNumber(number)}
          </button>
        ))}
        {tickets.length > shown.length && <span class="more">+{tickets.length - shown.length}</span>}
      </div>
    </section>
  )
}

/** The end of a long number: a ticket has room for five signs. */
function shortNumber(number: string): string {
  const name = orderName(number)
  return name.length <= 6 ? name : `…${name.slice(-4)}`
}

interface MovingProps extends Picks, Pick<CurbProps, "player" | "scene" | "site"> {
  readonly other: OtherCurb | null
}

/** What is drawn many times a second. */
function Moving({ scene, player, site, picked, onPick, other }: MovingProps): JSX.Element | null {
  const { ms } = useSlowly(player, MOVES_EVERY_MS)
  const curb = curbAt(scene, site, ms)
  const there = other === null ? null : curbAt(other.scene, site, ms)
  return curb === null ? null : <Pavement {...{ curb, ms, picked, onPick, there, other }} />
}

const BAY_PX_MIN = 46
const EDGE_PX = 16
const BAY_HEIGHT_PX = 92

interface Places {
  readonly width: number
  readonly height: number
  readonly curbY: number
  readonly bayPx: number
}

function Pavement({
  curb,
  ms,
  picked,
  onPick,
  there,
  other,
}: Picks & {
  readonly curb: CurbScene
  readonly ms: number
  readonly there: CurbScene | null
  readonly other: OtherCurb | null
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null)
  const size = useSize(holder)
  const count = Math.max(1, curb.stalls.length)
  const width = Math.max(size.width, 2 * EDGE_PX + count * BAY_PX_MIN)
  const height = Math.max(size.height, 216)
  const places: Places = {
    width,
    height,
    curbY: Math.max(78, Math.min(120, height - BAY_HEIGHT_PX - 62)),
    bayPx: Math.min(110, (width - 2 * EDGE_PX) / count),
  }
  return (
    <div ref={holder} class="pavement" tabIndex={0} role="group" aria-label={pavementWords(curb, ms)}>
      {size.width > 0 && (
        <svg width={width} height={height} aria-hidden="true">
          <rect class="road" y={places.curbY} width={width} height={height - places.curbY} />
          {curb.stalls.map((stall, number) => (
            <Bay
              key={stall.label}
              {...{ stall, number, places, ms, picked, onPick, other }}
              there={there?.stalls[number]?.robot ?? null}
            />
          ))}
          <line class="stripe" x1="0" x2={width} y1={height - 22} y2={height - 22} />
          {curb.inLine.map((robot) => (
            <InLine key={robot.actor} {...{ robot, places, onPick }} />
          ))}
          <line class="curb-line" x1="0" x2={width} y1={places.curbY} y2={places.curbY} />
          {curb.runners.map((runner, number) => (
            <RunnerSign key={runner.actor} {...{ runner, number, curb, places, picked, onPick }} />
          ))}
          {curb.vehicles.map((vehicle, number) => (
            <Vehicle
              key={vehicle.actor}
              {...{ vehicle, number, picked, onPick }}
              hasStalls={curb.stalls.length > 0}
              places={places}
            />
          ))}
          {curb.stalls.length === 0 && curb.vehicles.length === 0 && (
            <text class="small" x={EDGE_PX} y={places.curbY + 34}>
              No vehicle stands at the store.
            </text>
          )}
          {curb.offDuty > 0 && (
            <text class="small" x={EDGE_PX} y={18}>
              {curb.offDuty} off duty
            </text>
          )}
        </svg>
      )}
    </div>
  )
}

function pavementWords({ stalls, runners, inLine }: CurbScene, ms: number): string {
  const taken = stalls.filter(({ robot }) => robot !== null).length
  const waits = stalls.flatMap(({ robot }) => (robot === null ? [] : [ms - robot.sinceMs]))
  const longest = waits.length === 0 ? "" : `, the longest for ${dwell(Math.max(...waits))}`
  return `${taken} of ${stalls.length} stalls taken${longest}; ${runners.length} runners; ${inLine.length} robots in line`
}

function bayX({ bayPx }: Places, stall: number): number {
  return EDGE_PX + (stall + 0.5) * bayPx
}

interface BayProps extends Picks {
  readonly stall: CurbStall
  readonly number: number
  readonly places: Places
  readonly ms: number
  readonly other: OtherCurb | null
  /** The robot in this stall on the other day. */
  readonly there: CurbRobot | null
}

function Bay({ stall, number, places, ms, picked, onPick, other, there }: BayProps): JSX.Element {
  const { label, robot, due } = stall
  const { curbY, bayPx } = places
  const x = bayX(places, number)
  const isLate = robot?.isLate === true
  return (
    <g class={isLate ? "bay late" : robot === null ? "bay empty" : "bay"}>
      <rect x={x - bayPx / 2 + 1} y={curbY} width={bayPx - 2} height={BAY_HEIGHT_PX} />
      <path
        class="bay-edge"
        d={`M${x - bayPx / 2} ${curbY}v${BAY_HEIGHT_PX}M${x + bayPx / 2} ${curbY}v${BAY_HEIGHT_PX}`}
      />
      <text class="bay-name" x={x} y={curbY + 17}>
        {label}
      </text>
      {robot !== null ? (
        <g class="pressable" onClick={() => onPick(robot.actor)}>
          <Robot
            robot={robot}
            x={x}
            y={curbY + 48}
            isPicked={robot.actor === picked}
            isRinged={other?.hasRings === true && !isAlike(robot, there)}
          />
          <text class="bay-order" x={x} y={curbY + 86}>
            {shortNumber(robot.order)}
          </text>
          <text
            class={robot.look === "on board" ? "bay-time on-board" : "bay-time"}
            x={x}
            y={curbY + BAY_HEIGHT_PX + 17}
          >
            {robot.look === "on board" ? "on board" : dwell(ms - robot.sinceMs)}
          </text>
        </g>
      ) : there !== null && other !== null ? (
        <g class="robot ghost">
          <rect class="body" x={x - 16} y={curbY + 26} width="32" height="44" rx="7" />
          <text class="bay-due" x={x} y={curbY + 52}>
            {other.letter}
          </text>
          <text class="bay-due" x={x} y={curbY + 86}>
            {shortNumber(there.order)}
          </text>
        </g>
      ) : due !== null ? (
        <>
          <text class="bay-due" x={x} y={curbY + 46}>
            {shortNumber(due)}
          </text>
          <text class="small middle" x={x} y={curbY + 62}>
            due
          </text>
        </>
      ) : (
        <circle class="bay-free" cx={x} cy={curbY + 48} r="6" />
      )}
    </g>
  )
}

/** The same robot does the same. */
function isAlike(robot: CurbRobot, there: CurbRobot | null): boolean {
  return there?.order === robot.order && there.look === robot.look
}

interface RobotProps {
  readonly robot: CurbRobot
  readonly x: number
  readonly y: number
  readonly isPicked: boolean
  readonly isRinged: boolean
}

/** A box with a lid: closed, open for its order, green with it on board. */
function Robot({ robot: { look }, x, y, isPicked, isRinged }: RobotProps): JSX.Element {
  return (
    <g class={`robot ${look.replace(" ", "-")}`} transform={`translate(${x} ${y})`}>
      {isRinged && <rect class="differs-ring" x="-20" y="-26" width="40" height="52" rx="10" />}
      {isPicked && <rect class="picked-ring" x="-21" y="-28" width="42" height="56" rx="11" />}
      <rect class="body" x="-16" y="-22" width="32" height="44" rx="7" />
      <rect class="lid" x="-11" y="-16" width="22" height="25" rx="5" />
      <path class="grip" d="M-7 15.5h14" />
      {look === "open" && <path class="open-lid" d="M-16-20-25-24" />}
      {look === "on board" && <path class="tick" d="M-5-4-1 0 6-8" />}
      {look === "failed" && <path class="failed-sign" d="M0-14 9 2H-9Z" />}
    </g>
  )
}

function InLine({
  robot,
  places,
  onPick,
}: {
  readonly robot: CurbScene["inLine"][number]
  readonly places: Places
  readonly onPick: (actor: number) => void
}): JSX.Element {
  const [x, y] = [bayX(places, robot.stall), places.curbY + BAY_HEIGHT_PX + 36]
  return (
    <g class="in-line pressable" transform={`translate(${x} ${y})`} onClick={() => onPick(robot.actor)}>
      <rect x="-17" y="-9" width="34" height="18" rx="5" />
      <text y="4">{shortNumber(robot.order)}</text>
      <text class="no-stall" y="21">
        no stall
      </text>
    </g>
  )
}

interface VehicleProps extends Picks {
  readonly vehicle: CurbVehicle
  readonly number: number
  readonly hasStalls: boolean
  readonly places: Places
}

const VEHICLE_PX = 84

/** At the curb where there are no stalls, else in the street before them. */
function Vehicle({ vehicle, number, hasStalls, places, picked, onPick }: VehicleProps): JSX.Element {
  const { actor, name, order, isLoading, isLate } = vehicle
  const apart = Math.min(VEHICLE_PX + 14, (places.width - 2 * EDGE_PX) / Math.max(1, number + 1))
  const [x, y] = [EDGE_PX + number * apart, hasStalls ? places.height - 48 : places.curbY + 14]
  return (
    <g
      class={`curb-vehicle pressable${isLate ? " late" : ""}${isLoading ? " loading" : ""}`}
      transform={`translate(${x} ${y})`}
      onClick={() => onPick(actor)}
    >
      {actor === picked && (
        <rect class="picked-ring" x="-5" y="-5" width={VEHICLE_PX + 10} height="40" rx="11" />
      )}
      <rect class="body" width={VEHICLE_PX} height="30" rx="8" />
      <path class="window" d={`M${VEHICLE_PX - 17} 6h5q5 0 5 5v8q0 5-5 5h-5z`} />
      <text x="36" y="13.5">
        {name}
      </text>
      <text class="vehicle-order" x="36" y="25.5">
        {order === null ? "waits" : `${isLoading ? "loads" : "for"} ${shortNumber(order)}`}
      </text>
    </g>
  )
}

interface RunnerProps extends Picks {
  readonly runner: CurbRunner
  readonly number: number
  readonly curb: CurbScene
  readonly places: Places
}

function RunnerSign({ runner, number, curb, places, picked, onPick }: RunnerProps): JSX.Element {
  const spot = (place: RunnerPlace): readonly [number, number] =>
    spotOf(place, { runner, number, curb, places })
  const [from, to] = [spot(runner.from), spot(runner.to)]
  const [x, y] = [0, 1].map((at) => (from[at] ?? 0) + runner.share * ((to[at] ?? 0) - (from[at] ?? 0))) as [
    number,
    number,
  ]
  const isWalking = runner.from !== runner.to
  // A circle for `R3`; `R17:30.2` needs more.
  const width = Math.max(23, 8 + 6 * runner.name.length)
  const isLeft = x > places.width - 90
  return (
    <g
      class={`runner-sign pressable${runner.isFree ? " free" : ""}${runner.isLate ? " late" : ""}`}
      onClick={() => onPick(runner.actor)}
    >
      {isWalking && <line class="way" x1={from[0]} y1={from[1]} x2={x} y2={y} />}
      {runner.actor === picked && (
        <rect class="picked-ring" x={x - width / 2 - 5.5} y={y - 17} width={width + 11} height="34" rx="17" />
      )}
      <rect class="disc" x={x - width / 2} y={y - 11.5} width={width} height="23" rx="11.5" />
      <text class="disc-name" x={x} y={y + 3.5}>
        {runner.name}
      </text>
      {runner.hasBag && (
        <g transform={`translate(${x + 8} ${y - 19})`}>
          <rect class="bag" width="11" height="11" rx="2" />
          <path class="bag-grip" d="M3 3.5a2.5 2.5 0 0 0 5 0" />
        </g>
      )}
      {runner.order === null ? (
        runner.isFree &&
        !isWalking && (
          <text class="small middle" x={x} y={y + 24}>
            free
          </text>
        )
      ) : (
        <text
          class="runner-order"
          x={isLeft ? x - width / 2 - 4.5 : x + width / 2 + 4.5}
          y={y + 4}
          text-anchor={isLeft ? "end" : "start"}
        >
          {shortNumber(runner.order)}
        </text>
      )}
    </g>
  )
}

/** Runners at one place stand beside each other. */
function spotOf(
  place: RunnerPlace,
  { runner, number, curb, places }: Pick<RunnerProps, "curb" | "number" | "places" | "runner">,
): readonly [number, number] {
  const { width, curbY } = places
  if (place.is === "stall") return [bayX(places, place.stall), curbY - 16]
  if (place.is === "counter") {
    const beside = curb.runners.filter(
      ({ actor, from, to }) =>
        actor < runner.actor && from.is === "counter" && to.is === "counter" && from.store === place.store,
    ).length
    const storePx = (width - 2 * EDGE_PX) / Math.max(1, curb.site.stores.length)
    return [EDGE_PX + (place.store + 0.5) * storePx + beside * 62, 16]
  }
  const apart = Math.min(54, (width - 2 * EDGE_PX) / Math.max(1, curb.runners.length + curb.offDuty))
  return [width - EDGE_PX - 14 - number * apart, curbY / 2 + 4]
}
