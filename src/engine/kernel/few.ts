/** Lists of few items. Most steps and turns add nothing to most of their lists. */

/** A list without items, which is never changed. */
export const NONE: never[] = []

/** Items up to which a list is made anew when it grows. */
const FEW = 3

/** The list with one more item; a list of more than a few items is changed. */
export function added<Item>(list: Item[], item: Item): Item[] {
  if (list.length < FEW) return longer(list, item)
  list.push(item)
  return list
}

/** A copy with one more item, in a list of exactly that size: `push` would make room for 16 more. */
export function longer<Item>(list: readonly Item[], item: Item): Item[] {
  switch (list.length) {
    case 0:
      return [item]
    case 1:
      return [list[0] as Item, item]
    case 2:
      return [list[0] as Item, list[1] as Item, item]
    default:
      return list.concat([item])
  }
}
