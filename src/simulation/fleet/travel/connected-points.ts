/** The parts of a network: points that lead to each other in both directions, and points that are joined in any. */

import type { Network } from "./street-network.ts"

/** By point, the number of its part: all points of a part lead to each other. Source: Tarjan 1972, without recursion. */
export function strongParts({ places, edges, leaving }: Network): Int32Array {
  const points = places.length
  const part = new Int32Array(points).fill(-1)
  const [order, low] = [new Int32Array(points).fill(-1), new Int32Array(points)]
  /** The next edge of each point to look at. */
  const next = leaving.first.slice()
  const [path, open] = [[] as number[], [] as number[]]
  let [counted, parts] = [0, 0]
  const enter = (point: number): void => {
    order[point] = low[point] = counted
    counted += 1
    path.push(point)
    open.push(point)
  }
  for (let root = 0; root < points; root += 1) {
    if (order[root] !== -1) continue
    enter(root)
    for (let point = path.at(-1); point !== undefined; point = path.at(-1)) {
      const at = next[point] ?? 0
      if (at < (leaving.first[point + 1] ?? 0)) {
        next[point] = at + 1
        const to = edges.to[leaving.edges[at] ?? 0] ?? 0
        if (order[to] === -1) enter(to)
        else if (part[to] === -1) low[point] = Math.min(low[point] ?? 0, order[to] ?? 0)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[point] ?? 0)
      if (low[point] !== order[point]) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        part[member] = parts
        if (member === point) break
      }
      parts += 1
    }
  }
  return part
}

/** How many parts the points make that are not used, joined in any direction and by no used one. */
export function looseParts(
  { places, edges, standsFor }: Network,
  isUsed: (point: number) => boolean,
): number {
  const leader = Int32Array.from(places, (_, point) => standsFor[point] ?? point)
  const leaderOf = (point: number): number => {
    let at = point
    while (leader[at] !== at) {
      leader[at] = leader[leader[at] ?? at] ?? at
      at = leader[at] ?? at
    }
    return at
  }
  const loose = new Set<number>()
  for (const [edge, from] of edges.from.entries()) {
    const to = edges.to[edge] ?? from
    if (isUsed(from) && isUsed(to)) continue
    if (isUsed(from) || isUsed(to)) {
      loose.add(isUsed(from) ? to : from)
      continue
    }
    leader[leaderOf(from)] = leaderOf(to)
    loose.add(from)
  }
  return new Set([...loose].map(leaderOf)).size
}
