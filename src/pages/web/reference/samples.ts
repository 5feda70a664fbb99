/** A request as code to copy: for a shell, for JavaScript and for Python with its standard library alone. */

export interface SampleRequest {
  readonly method: string
  /** Complete, with its query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null when no body is sent. */
  readonly body: string | null
  /** The environment variable with the bearer; null when none is sent. */
  readonly bearer: string | null
}

export const SAMPLES: readonly (readonly [name: string, write: (request: SampleRequest) => string])[] = [
  ["curl", curlSample],
  ["JavaScript", fetchSample],
  ["Python", pythonSample],
]

export function curlSample({ method, url, headers, body, bearer }: SampleRequest): string {
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    ...(bearer === null ? [] : [`  -H "Authorization: Bearer $${bearer}"`]),
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(body)}`]),
  ].join(" \\\n")
}

/** One word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fetchSample({ method, url, headers, body, bearer }: SampleRequest): string {
  const lines = [
    ...(bearer === null ? [] : [`    Authorization: \`Bearer \${process.env.${bearer}}\`,`]),
    ...Object.entries(headers).map(
      ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
    ...(body === null ? [] : ['    "Content-Type": "application/json",']),
  ]
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(lines.length === 0 ? [] : ["  headers: {", ...lines, "  },"]),
    ...(body === null ? [] : [`  body: JSON.stringify(${indented(body, "  ")}),`]),
    "})",
    "process.stdout.write(`${response.status} ${await response.text()}\\n`)",
  ].join("\n")
}

function pythonSample({ method, url, headers, body, bearer }: SampleRequest): string {
  const lines = [
    ...(bearer === null ? [] : [`        "Authorization": f"Bearer {os.environ['${bearer}']}",`]),
    ...Object.entries(headers).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
    ...(body === null ? [] : ['        "Content-Type": "application/json",']),
  ]
  const modules = [...(body === null ? [] : ["json"]), ...(bearer === null ? [] : ["os"]), "urllib.request"]
  return [
    ...modules.map((name) => `import ${name}`),
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    ...(lines.length === 0 ? [] : ["    headers={", ...lines, "    },"]),
    ...(body === null ? [] : [`    data=json.dumps(${indented(inPython(body), "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, response.read().decode())",
  ].join("\n")
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" }

/** JSON as a Python literal: texts and numbers are written alike. */
function inPython(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => PYTHON_WORDS[part] ?? part)
}

function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`)
}
