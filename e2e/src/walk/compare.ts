/** Placeholders in expected texts for values that differ in each run. */
const placeholders: Record<string, string> = {
  '<id>': '[a-zA-Z0-9]{16,17}',
  '<time>': '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
  '<date>': '\\d{4}-\\d\\d-\\d\\d',
  '<request>': '[\\w-]{8,}',
  '<secret>': '[\\w.~+/=-]{20,}',
  '<url>': 'https?://\\S+',
  '<text>': '[^]*\\S[^]*',
};

/** The differences between a response and its expectation, as sentences. */
export function differences(actual: unknown, expected: unknown, variables: Record<string, string>, at = ''): string[] {
  const where = at || 'the response';
  if (typeof expected === 'string') return compareText(actual, expected, variables, where);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${where} is ${show(actual)}, not a list`];
    const isOpen = expected.at(-1) === '...';
    const items = isOpen ? expected.slice(0, -1) : expected;
    const isLong = isOpen ? actual.length >= items.length : actual.length === items.length;
    if (!isLong) return [`${where} has ${actual.length} items, not ${items.length}: ${show(actual)}`];
    return items.flatMap((item, index) => differences(actual[index], item, variables, `${at}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [`${where} is ${show(actual)}, not an object`];
    const { '...': isOpen, ...fields } = expected as Record<string, unknown>;
    const more = Object.keys(actual).filter((field) => !(field in fields));
    return [
      ...(isOpen === undefined ? more.map((field) => `${where} has an unexpected field ${field}`) : []),
      ...Object.entries(fields).flatMap(([field, value]) =>
        differences((actual as Record<string, unknown>)[field], value, variables, at ? `${at}.${field}` : field),
      ),
    ];
  }
  return actual === expected ? [] : [`${where} is ${show(actual)}, not ${show(expected)}`];
}

function compareText(actual: unknown, expected: string, variables: Record<string, string>, where: string): string[] {
  if (expected === '<number>') return typeof actual === 'number' ? [] : [`${where} is ${show(actual)}, not a number`];
  const resolved = expected.replace(/\$([A-Z_]+)/g, (text, name: string) => variables[name] ?? text);
  const isRight = typeof actual === 'string' && patternOf(resolved).test(actual);
  return isRight ? [] : [`${where} is ${show(actual)}, not ${show(resolved)}`];
}

/** An expected text as a regular expression, with placeholders replaced by their patterns. */
function patternOf(text: string): RegExp {
  const parts = text
    .split(/(<[a-z]+>)/)
    .map((part) => placeholders[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('')}$`);
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? 'missing';
}
