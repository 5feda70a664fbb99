/** A chart as a record holds it. */

import type { ChartDocument } from "../chart/document.ts"

/** True for what can be drawn: a record is somebody's file, and may hold anything in a chart's place. */
export function isChart(value: unknown): value is ChartDocument {
  if (!isObject(value)) return false
  const { id, nodes, edges } = value
  const hasParts = typeof id === "string" && Array.isArray(nodes) && nodes.length > 0 && Array.isArray(edges)
  if (!hasParts || !nodes.every(isNode) || !edges.every(isEdge)) return false
  // Of two with one id each could stand inside the other.
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
