/**
 * The report of `curbline run --junit`: the XML that CI systems read, with a suite for each file and a case for each run. The
 * format has no standard; this keeps to what Jenkins' schema, GitHub's and GitLab's readers have in common.
 */

import { html as xml, raw } from "../../pages/html/markup.ts"
import type { Html as Xml } from "../../pages/html/markup.ts"

/** One run of a scenario. */
export interface JunitCase {
  readonly file: string
  readonly title: string
  readonly seed: number
  readonly line: number
  readonly wallMs: number
  /** What did not hold; empty when the run passed. */
  readonly failures: readonly { readonly message: string; readonly text: string }[]
  /** Why it was not run, as CI systems read a skipped test; absent: it ran. */
  readonly skipped?: string
  /** Checks that were left out, a line each. */
  readonly unchecked?: readonly string[]
  /** The engine's fault; null when the run ended. */
  readonly fault: { readonly message: string; readonly text: string } | null
}

export function junitXml(cases: readonly JunitCase[]): string {
  const files = [...new Set(cases.map(({ file }) => file))]
  const suites = files.map((file) =>
    suite(
      file,
      cases.filter((one) => one.file === file),
    ),
  )
  const root = xml`<testsuites name="curbline" ${counts(cases)}>\n${suites}\n</testsuites>\n`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${withoutForbidden(root.html)}`
}

function suite(file: string, cases: readonly JunitCase[]): Xml {
  return xml`<testsuite name="${file}" ${counts(cases)}>\n${cases.map((one) => testCase(one))}\n</testsuite>`
}

function counts(cases: readonly JunitCase[]): Xml {
  const failed = cases.filter(({ failures }) => failures.length > 0).length
  const faults = cases.filter(({ fault }) => fault !== null).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  const wallMs = cases.reduce((sum, one) => sum + one.wallMs, 0)
  return xml`tests="${cases.length}" failures="${failed}" errors="${faults}" skipped="${skipped}" time="${seconds(wallMs)}"`
}

function testCase(one: JunitCase): Xml {
  const { file, title, seed, line, wallMs, failures, fault, skipped, unchecked = [] } = one
  const place = xml`classname="${file}" file="${file}" line="${line}"`
  const endings = [
    ...failures.map((failure) => ending("failure", failure)),
    ...(fault === null ? [] : [ending("error", fault)]),
    ...(skipped === undefined ? [] : [xml`<skipped message="${skipped}"/>`]),
    ...(unchecked.length === 0 ? [] : [xml`<system-out>${unchecked.join("\n")}</system-out>`]),
  ]
  return xml`<testcase name="${title}, seed ${seed}" ${place} time="${seconds(wallMs)}">${endings}</testcase>`
}

function ending(
  element: "error" | "failure",
  { message, text }: { readonly message: string; readonly text: string },
): Xml {
  const type = element === "error" ? "engine fault" : "expectation"
  const name = raw(element)
  return xml`<${name} message="${message}" type="${type}">${text}</${name}>`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

/** Without the characters that XML 1.0 cannot contain, not even escaped: they become the sign for what cannot be shown. */
function withoutForbidden(text: string): string {
  return text.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}")
}
