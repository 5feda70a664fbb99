/** A thread that counts when an order of a record was lost, so that the page which asks is answered meanwhile. */

import { parentPort, workerData } from "node:worker_threads"
import { basename } from "node:path"
import { encodeSync } from "effect/Schema"
import { MomentAnswerShown } from "../../model/requests/moment-answer.ts"
import { momentData } from "../../pages/bundling/moment-document.ts"
import type { MomentState } from "../../pages/inspection/moment-data.ts"
import { faultMessage } from "../kit/terminal.ts"
import { askRecord } from "./ask-record.ts"
import type { RecordAsked } from "./ask-record.ts"

export interface LostTask {
  readonly asked: RecordAsked
  /** One number: 1 asks the thread to stop and to answer what is known. */
  readonly stop: SharedArrayBuffer
}

/** Between two reports of how far it is. */
const REPORT_MS = 200

async function count({ asked, stop }: LostTask): Promise<MomentState> {
  const stopped = new Int32Array(stop)
  let [outcome, futures, saidMs]: [string | null, number, number] = [null, 0, 0]
  const say = (): void => {
    const state: MomentState = { is: "counting", outcome, futures }
    parentPort?.postMessage(state)
  }
  try {
    const answered = await askRecord(asked, {
      onBad: (words) => {
        outcome = words
        say()
      },
      onDone: () => {
        futures += 1
        if (performance.now() - saidMs < REPORT_MS) return
        saidMs = performance.now()
        say()
      },
      isOver: () => Atomics.load(stopped, 0) === 1,
    })
    if (answered === null) return { is: "failed", message: "The model cannot be read." }
    const answer = encodeSync(MomentAnswerShown)(answered.answer)
    return { is: "done", data: momentData({ answer, record: basename(asked.file) }) }
  } catch (cause) {
    return { is: "failed", message: faultMessage(cause) }
  }
}

parentPort?.postMessage(await count(workerData as LostTask))
