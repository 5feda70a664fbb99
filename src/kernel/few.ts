/** Lists of few items. Most steps and turns add nothing to most of their lists. */

/** A list without items, which is never changed. */
export const NONE: never[] = []

/** The list with one more item. A short list is made anew, because `push` would make room for 16 more. */
export function added<Item>(list: readonly Item[], item: Item): Item[] {
  switch (list.length) {
    case 0:
      return [item]
    case 1:
      return [list[0] as Item, item]
    case 2:
      return [list[0] as Item, list[1] as Item, item]
    default:
      ;(list as Item[]).push(item)
      return list as Item[]
  }
}
