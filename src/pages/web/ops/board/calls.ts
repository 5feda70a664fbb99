/** Calls of the board, by name. */

import type { ReportedStatus } from "../../../../model/delivery.ts"
import type { ExceptionCode } from "../../../../model/handoff.ts"
import type { RunnerMove } from "../../../../model/requests/runner-moves.ts"
import { read, send } from "../api.ts"
import type {
  BoardRecord,
  ContactRecord,
  DeliveryRecord,
  ForecastRecord,
  MomentRecord,
  PairingRecord,
  PhoneMoveRecord,
  PhoneRecord,
  ReservationRecord,
  TimelineRecord,
} from "./records.ts"

const siteAt = (siteId: string): string => `/internal/v1/sites/${encodeURIComponent(siteId)}`
const deliveryAt = (id: string): string => `/internal/v1/deliveries/${encodeURIComponent(id)}`
const reservationAt = (id: string): string => `/internal/v1/reservations/${encodeURIComponent(id)}`

export async function readBoard(siteId: string): Promise<BoardRecord> {
  return (await read<{ board: BoardRecord }>(`${siteAt(siteId)}/board`)).board
}

/** Of the next two hours. One that is not there is begun by the service. */
export async function readForecast(siteId: string): Promise<ForecastRecord> {
  return (await read<{ forecast: ForecastRecord }>(`${siteAt(siteId)}/forecast?ahead=2h`)).forecast
}

/** A late or lost case. */
export interface MomentOf {
  readonly kind: "delivery" | "reservation"
  readonly id: string
}

function momentAt({ kind, id }: MomentOf): string {
  return `${kind === "delivery" ? deliveryAt(id) : reservationAt(id)}/moment`
}

/** One that is not there is begun by the service. */
export async function readMoment(of: MomentOf): Promise<MomentRecord> {
  return (await read<{ moment: MomentRecord }>(momentAt(of))).moment
}

export async function stopMoment(of: MomentOf): Promise<void> {
  await send<object>("DELETE", momentAt(of))
}

export async function readReservation(id: string): Promise<ReservationRecord> {
  return (await read<{ reservation: ReservationRecord }>(reservationAt(id))).reservation
}

export async function readTimeline(id: string): Promise<readonly TimelineRecord[]> {
  return (await read<{ timeline: readonly TimelineRecord[] }>(`${reservationAt(id)}/timeline`)).timeline
}

export async function readPhoneMoves(id: string): Promise<readonly PhoneMoveRecord[]> {
  return (await read<{ phone_moves: readonly PhoneMoveRecord[] }>(`${reservationAt(id)}/phone-moves`))
    .phone_moves
}

/** The service records who looked. */
export async function showContact(id: string): Promise<ContactRecord> {
  return (await send<{ contact: ContactRecord }>("POST", `${reservationAt(id)}/contact`)).contact
}

export async function makeMove(id: string, move: RunnerMove, body?: object): Promise<ReservationRecord> {
  const path = `${reservationAt(id)}/${move}`
  return (await send<{ reservation: ReservationRecord }>("POST", path, body)).reservation
}

export async function clearException(id: string, code: ExceptionCode): Promise<ReservationRecord> {
  const path = `${reservationAt(id)}/exceptions?reason_code=${code}`
  return (await send<{ reservation: ReservationRecord }>("DELETE", path)).reservation
}

export async function moveRun(deliveryId: string, vehicleId: string): Promise<void> {
  await send<object>("PUT", `${deliveryAt(deliveryId)}/vehicle`, { vehicle_id: vehicleId })
}

export async function readDelivery(id: string): Promise<DeliveryRecord> {
  return (await read<{ delivery: DeliveryRecord }>(deliveryAt(id))).delivery
}

export async function readDeliveryTimeline(id: string): Promise<readonly TimelineRecord[]> {
  return (await read<{ timeline: readonly TimelineRecord[] }>(`${deliveryAt(id)}/timeline`)).timeline
}

export async function reportStatus(id: string, status: ReportedStatus): Promise<void> {
  await send<object>("POST", `${deliveryAt(id)}/status`, { status })
}

/** The service records who looked. */
export async function showDeliveryContact(id: string): Promise<ContactRecord> {
  return (await send<{ contact: ContactRecord }>("POST", `${deliveryAt(id)}/contact`)).contact
}

export async function cancelDelivery(id: string, reason: string): Promise<void> {
  await send<object>("POST", `${deliveryAt(id)}/cancel`, reason === "" ? {} : { reason })
}

/** How many endpoints that get events of the site are disabled by their failures. */
export async function readDisabledEndpoints(siteId: string): Promise<number> {
  const query = new URLSearchParams({ site_id: siteId, state: "disabled", limit: "100" }).toString()
  const path = `/internal/v1/webhook-endpoints?${query}`
  return (await read<{ webhook_endpoints: readonly object[] }>(path)).webhook_endpoints.length
}

export async function openCompartment(deliveryId: string): Promise<void> {
  await send<object>("POST", `/internal/v1/deliveries/${encodeURIComponent(deliveryId)}/compartment`)
}

export async function setOnline(vehicleId: string, isOnline: boolean): Promise<void> {
  const path = `/internal/v1/vehicles/${encodeURIComponent(vehicleId)}`
  await send<object>("PATCH", path, { is_online: isOnline })
}

export async function callRunners(
  siteId: string,
  call: { readonly reservation_id: string; readonly message: string },
): Promise<void> {
  await send<object>("POST", `${siteAt(siteId)}/runner-calls`, call)
}

export async function withdrawCall(callId: string): Promise<void> {
  await send<object>("DELETE", `/internal/v1/runner-calls/${encodeURIComponent(callId)}`)
}

export async function makePairing(siteId: string, name: string): Promise<PairingRecord> {
  const path = `${siteAt(siteId)}/pairings`
  return (await send<{ pairing: PairingRecord }>("POST", path, { runner_name: name })).pairing
}

export async function readPhones(siteId: string): Promise<readonly PhoneRecord[]> {
  const path = `${siteAt(siteId)}/runner-phones`
  return (await read<{ runner_phones: readonly PhoneRecord[] }>(path)).runner_phones
}

export async function endPhone(phoneId: string): Promise<void> {
  await send<object>("DELETE", `/internal/v1/runner-phones/${encodeURIComponent(phoneId)}`)
}
