/** A chart in a record. */

import type { ChartDocument } from "../chart/chart-document.ts"

/** True for a chart that can be drawn: a record comes from outside, so its charts may be malformed. */
export function isChart(value: unknown): value is ChartDocument {
  if (!isObject(value)) return false
  const { id, nodes, edges } = value
  const hasParts = typeof id === "string" && Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges)
  if (!hasParts || !nodes.every(isNode) || !edges.every(isEdge)) return false
  // With duplicate ids a state could be its own ancestor.
  return new Set(nodes.map((node: ChartDocument["nodes"][number]) => node.id)).size === nodes.length
}

function isNode(value: unknown): boolean {
  return (
    isObject(value) &&
    ["id", "path", "key", "type"].every((name) => typeof value[name] === "string") &&
    ["entry", "exit", "invoke", "tags"].every((name) => Array.isArray(value[name])) &&
    ["parent", "initial", "description"].every((name) => isTextOrNull(value[name]))
  )
}

function isEdge(value: unknown): boolean {
  return (
    isObject(value) &&
    ["id", "source", "kind", "label"].every((name) => typeof value[name] === "string") &&
    ["targets", "actions"].every((name) => Array.isArray(value[name])) &&
    ["event", "guard", "description"].every((name) => isTextOrNull(value[name]))
  )
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string"
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
