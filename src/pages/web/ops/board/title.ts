/** The tab's title: how many need help, and the sentence of the board. */

import { useEffect } from "preact/hooks"
import type { BoardRecord } from "./records.ts"
import { helpOf, sentenceOf } from "./words.ts"

export function useTitle(board: BoardRecord | null): void {
  const title = board === null ? null : titleOf(board)
  useEffect(() => {
    if (title !== null) document.title = title
  }, [title])
}

function titleOf(board: BoardRecord): string {
  const help = helpOf(board)
  return `${help === 0 ? "" : `(${help}) `}${sentenceOf(board)} ${board.name}`
}
