/**
 * Fastest ways in a network: all of them from or to one point at once (Dijkstra), and one between two points (A*). Times are
 * whole milliseconds, so that all machines choose the same way.
 */

import type { Adjacency, Network } from "./street-network.ts"

/** By point, the edge of the fastest way: the last one from the root, or the next one to it; -1 without a way and at the root. */
export type Tree = Int32Array

/** Milliseconds, longer than any way. */
const FAR = 0x7fffffff
/** The time of an edge that is out. */
export const NO_WAY_MS = -1

export class StreetSearch {
  readonly #network: Network
  readonly #times: Int32Array
  readonly #heap: Heap

  constructor(network: Network) {
    this.#network = network
    this.#times = new Int32Array(network.places.length)
    this.#heap = new Heap(network.places.length)
  }

  /** `ms` is the time of each edge. Ways to a point may end at each point that stands for it. */
  tree(roots: readonly number[], way: "from" | "to", ms: Int32Array): Tree {
    const { edges, leaving, entering } = this.#network
    const isFrom = way === "from"
    const [adjacency, ends] = isFrom ? [leaving, edges.to] : [entering, edges.from]
    const tree = new Int32Array(this.#times.length).fill(-1)
    this.#search(roots, { adjacency, ends, ms, tree, aheadMs: () => 0, isEnd: () => false })
    return tree
  }

  /** The tree as far as it was needed for the way, and the point where that ends; null without a way. */
  find(
    root: number,
    {
      isEnd,
      aheadMs,
      ms,
    }: {
      readonly isEnd: (point: number) => boolean
      /** No way from the point to the end takes less. */
      readonly aheadMs: (point: number) => number
      readonly ms: Int32Array
    },
  ): { readonly tree: Tree; readonly end: number } | null {
    const { edges, leaving } = this.#network
    const tree = new Int32Array(this.#times.length).fill(-1)
    const end = this.#search([root], { adjacency: leaving, ends: edges.to, ms, tree, aheadMs, isEnd })
    return end === null ? null : { tree, end }
  }

  #search(
    roots: readonly number[],
    {
      adjacency: { first, edges },
      ends,
      ms,
      tree,
      aheadMs,
      isEnd,
    }: {
      readonly adjacency: Adjacency
      readonly ends: Int32Array
      readonly ms: Int32Array
      readonly tree: Tree
      readonly aheadMs: (point: number) => number
      readonly isEnd: (point: number) => boolean
    },
  ): number | null {
    const [times, heap] = [this.#times, this.#heap]
    times.fill(FAR)
    heap.clear()
    for (const root of roots) {
      times[root] = 0
      heap.put(root, aheadMs(root))
    }
    for (let point = heap.take(); point !== -1; point = heap.take()) {
      if (isEnd(point)) return point
      const here = times[point] ?? 0
      const last = first[point + 1] ?? 0
      for (let at = first[point] ?? 0; at < last; at += 1) {
        const edge = edges[at] ?? 0
        const next = ends[edge] ?? 0
        const edgeMs = ms[edge] ?? 0
        const time = here + edgeMs
        if (edgeMs === NO_WAY_MS || time >= (times[next] ?? 0)) continue
        times[next] = time
        tree[next] = edge
        heap.put(next, time + aheadMs(next))
      }
    }
    return null
  }
}

/** Points by their key, the least first; of equal keys the lower number. */
class Heap {
  readonly #points: Int32Array
  readonly #keys: Int32Array
  /** Where each point is, from 1; 0: not in the heap. */
  readonly #places: Int32Array
  #size = 0

  constructor(points: number) {
    this.#points = new Int32Array(points + 1)
    this.#keys = new Int32Array(points)
    this.#places = new Int32Array(points)
  }

  clear(): void {
    for (let at = 1; at <= this.#size; at += 1) this.#places[this.#points[at] ?? 0] = 0
    this.#size = 0
  }

  /** Adds the point, or moves it when it is in the heap with a greater key. */
  put(point: number, key: number): void {
    this.#keys[point] = key
    const at = this.#places[point] ?? 0
    if (at !== 0) return this.#rise(point, at)
    this.#size += 1
    this.#rise(point, this.#size)
  }

  /** The least one; -1 when the heap is empty. */
  take(): number {
    if (this.#size === 0) return -1
    const least = this.#points[1] ?? 0
    this.#places[least] = 0
    const last = this.#points[this.#size] ?? 0
    this.#size -= 1
    if (this.#size > 0) this.#sink(last)
    return least
  }

  #rise(point: number, from: number): void {
    let at = from
    while (at > 1) {
      const above = this.#points[at >> 1] ?? 0
      if (!this.#isBefore(point, above)) break
      this.#set(above, at)
      at >>= 1
    }
    this.#set(point, at)
  }

  #sink(point: number): void {
    let at = 1
    for (;;) {
      let below = 2 * at
      if (below > this.#size) break
      if (below < this.#size && this.#isBefore(this.#points[below + 1] ?? 0, this.#points[below] ?? 0))
        below += 1
      const other = this.#points[below] ?? 0
      if (!this.#isBefore(other, point)) break
      this.#set(other, at)
      at = below
    }
    this.#set(point, at)
  }

  #set(point: number, at: number): void {
    this.#points[at] = point
    this.#places[point] = at
  }

  #isBefore(one: number, other: number): boolean {
    const [key, otherKey] = [this.#keys[one] ?? 0, this.#keys[other] ?? 0]
    return key < otherKey || (key === otherKey && one < other)
  }
}
