const width = 116;
const patterns: [pattern: RegExp, placeholder: string][] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, '<time>'],
  [/^\d{4}-\d\d-\d\d$/, '<date>'],
  [/^[a-zA-Z0-9]{16,17}$/, '<id>'],
  [/^req_/, '<request>'],
  [/^svc_(live|sandbox)_sk_.+|^[\w-]{43}$/, '<secret>'],
  [/^https?:\/\/127\.0\.0\.1/, '<url>'],
];

/** Turns a response into an expectation: values that differ in each run become placeholders. */
export function toExpectation(value: unknown, variables: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => toExpectation(item, variables));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, toExpectation(item, variables)]));
  if (typeof value !== 'string') return value;
  const named = Object.entries(variables)
    .filter(([, content]) => content.length > 8)
    .reduce((text, [name, content]) => text.replaceAll(content, `$${name}`), value);
  if (named !== value) return named;
  return patterns.find(([pattern]) => pattern.test(value))?.[1] ?? value;
}

/** Formats JSON; values that fit into one line stay in one line. */
export function formatJson(value: unknown, indent = 0): string {
  const text = inOneLine(value);
  if (indent + text.length <= width || typeof value !== 'object' || value === null) return text;
  const inner = ' '.repeat(indent + 2);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map((item) => formatJson(item, indent + 2))
    : Object.entries(value).map(([field, item]) => `${JSON.stringify(field)}: ${formatJson(item, indent + 2)}`);
  return `${open}\n${wrap(items, width - indent - 2)
    .map((line) => inner + line)
    .join(',\n')}\n${' '.repeat(indent)}${close}`;
}

/** Joins as many items per line as fit. */
function wrap(items: string[], space: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const joined = `${last}, ${item}`;
    if (last !== undefined && !joined.includes('\n') && joined.length <= space) lines[lines.length - 1] = joined;
    else lines.push(item);
  }
  return lines;
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const fields = Object.entries(value).map(([field, item]) => `${JSON.stringify(field)}: ${inOneLine(item)}`);
  return fields.length ? `{ ${fields.join(', ')} }` : '{}';
}
