const width = 116;
const whole: [form: RegExp, placeholder: string][] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, '<time>'],
  [/^\d{4}-\d\d-\d\d$/, '<date>'],
  [/^[a-zA-Z0-9]{16,17}$/, '<id>'],
  [/^req_/, '<request>'],
  [/^svc_(live|sandbox)_sk_.+|^[\w-]{43}$/, '<secret>'],
  [/^https?:\/\/127\.0\.0\.1/, '<url>'],
];

/** An answer as an expectation, for a person to read: what is different each time becomes a placeholder. */
export function drafted(value: unknown, variables: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => drafted(item, variables));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, drafted(item, variables)]));
  if (typeof value !== 'string') return value;
  const named = Object.entries(variables)
    .filter(([, held]) => held.length > 8)
    .reduce((text, [name, held]) => text.replaceAll(held, `$${name}`), value);
  if (named !== value) return named;
  return whole.find(([form]) => form.test(value))?.[1] ?? value;
}

/** JSON as people lay it out: what fits a line stands in one. */
export function laidOut(value: unknown, indent = 0): string {
  const text = inOneLine(value);
  if (indent + text.length <= width || typeof value !== 'object' || value === null) return text;
  const inner = ' '.repeat(indent + 2);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map((item) => laidOut(item, indent + 2))
    : Object.entries(value).map(([field, item]) => `${JSON.stringify(field)}: ${laidOut(item, indent + 2)}`);
  return `${open}\n${filled(items, width - indent - 2)
    .map((line) => inner + line)
    .join(',\n')}\n${' '.repeat(indent)}${close}`;
}

/** Puts as many items into a line as fit. */
function filled(items: string[], space: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const together = `${last}, ${item}`;
    if (last !== undefined && !together.includes('\n') && together.length <= space) lines[lines.length - 1] = together;
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
