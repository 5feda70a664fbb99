/**
 * The write-ahead log of the embedded database. A PostgreSQL server checkpoints in a process of its own; the embedded one has
 * none, so without the checkpoints made here its log would grow until the database is closed, and a start after a kill would
 * replay all of it (src/DECISIONS.md §362).
 */

import { closeSync, openSync, readFileSync, readSync, readdirSync, statfsSync } from "node:fs"
import { join } from "node:path"
import type { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import type { Scope } from "effect"
import { CHECKPOINT_FREE_BYTES_MIN, CHECKPOINT_LOG_BYTES, CHECKPOINT_LOOK_MS } from "./bounds.ts"
import { ConnectionLost } from "./connection.ts"

/** What checkpoints ask of the database. */
type LoggingDatabase = Pick<PGlite, "dataDir" | "exec" | "query">

/** Checkpoints the database whenever its log has grown by `CHECKPOINT_LOG_BYTES`, until the scope ends. */
export function checkpointing(client: () => LoggingDatabase): Effect.Effect<void, never, Scope.Scope> {
  const looking = Effect.tryPromise({
    try: () => checkpointIfLong(client()),
    catch: (cause) => cause,
  }).pipe(
    // The log says once that the database has ended, and when it is open again.
    Effect.catchIf(
      (cause) => cause instanceof ConnectionLost,
      () => Effect.void,
    ),
    // For example a full disk: committed data stays, and the next check tries again.
    Effect.catchAllCause((cause) => Effect.logWarning("a checkpoint of the embedded database failed", cause)),
  )
  return Effect.asVoid(
    Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(CHECKPOINT_LOOK_MS), looking))),
  )
}

/** Bytes that a start after a kill would replay now. */
export async function logBytes(client: Pick<PGlite, "query">): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()",
  )
  return rows[0]?.bytes ?? 0
}

async function checkpointIfLong(client: LoggingDatabase): Promise<void> {
  if ((await logBytes(client)) >= CHECKPOINT_LOG_BYTES) await checkpoint(client)
}

/**
 * Writes what is in memory alone. Fails without trying on a full disk, because a checkpoint that cannot write ends the
 * server (src/DECISIONS.md §362).
 */
export async function checkpoint(client: Pick<PGlite, "dataDir" | "exec">): Promise<void> {
  const { dataDir } = client
  if (dataDir !== undefined) {
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    if (free < CHECKPOINT_FREE_BYTES_MIN) throw new DiskFull(dataDir, free)
  }
  await client.exec("checkpoint")
}

class DiskFull extends Error {
  readonly code = "ENOSPC"

  constructor(folder: string, free: number) {
    super(
      `the disk of ${folder} is full: ${free} bytes are free, a checkpoint needs ${CHECKPOINT_FREE_BYTES_MIN}`,
    )
  }
}

/**
 * Bytes of log that opening the files in this folder will replay, in whole segments, because the process before was
 * killed; 0 if it closed its database or there is none. Must be called before the database is opened.
 */
export function bytesToReplay(database: string): number {
  try {
    const control = readFileSync(join(database, "global", "pg_control"))
    if (control.readUInt32LE(CONTROL_STATE_AT) === CONTROL_SHUT_DOWN) return 0
    return segmentsFrom(join(database, "pg_wal"), control.readBigUInt64LE(CONTROL_REDO_AT)) * SEGMENT_BYTES
  } catch {
    // Missing or unreadable files are reported when they are opened.
    return 0
  }
}

/** Source: PostgreSQL 17, pg_control.h: `ControlFileData`, `DBState`. */
const CONTROL_STATE_AT = 16
const CONTROL_SHUT_DOWN = 1
const CONTROL_REDO_AT = 40

const SEGMENT_BYTES = 16 * 1_048_576
/** Source: xlogdefs.h, `XLogPageHeaderData`: the position of the page in the log. A recycled segment has an old one. */
const PAGE_PLACE_AT = 8
const PAGE_HEADER_BYTES = 16
const SEGMENT_NAME = /^[0-9A-F]{24}$/

/** Consecutive segments, from the one at this position on. */
function segmentsFrom(folder: string, redo: bigint): number {
  const places = new Set(
    readdirSync(folder)
      .filter((name) => SEGMENT_NAME.test(name))
      .map((name) => placeOf(join(folder, name))),
  )
  const bytes = BigInt(SEGMENT_BYTES)
  let count = 0
  for (let place = redo - (redo % bytes); places.has(place); place += bytes) count += 1
  return count
}

function placeOf(segment: string): bigint {
  const header = Buffer.alloc(PAGE_HEADER_BYTES)
  const file = openSync(segment, "r")
  try {
    readSync(file, header, 0, PAGE_HEADER_BYTES, 0)
  } finally {
    closeSync(file)
  }
  return header.readBigUInt64LE(PAGE_PLACE_AT)
}
