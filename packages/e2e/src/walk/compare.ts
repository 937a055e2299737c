const placeholders: Record<string, RegExp> = {
  '<id>': /^[a-zA-Z0-9]{16,17}$/,
  '<time>': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  '<date>': /^\d{4}-\d\d-\d\d$/,
  '<request>': /^[\w-]{8,}$/,
  '<secret>': /^[\w.~+/=-]{20,}$/,
  '<url>': /^https?:\/\/\S+$/,
  '<text>': /\S/,
};

/** Where in an answer something else stands than expected, as sentences; none when all is as it should be. */
export function differences(actual: unknown, expected: unknown, variables: Record<string, string>, at = ''): string[] {
  const where = at || 'the answer';
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
      ...(isOpen === undefined ? more.map((field) => `${where} has a field ${field} that is not expected`) : []),
      ...Object.entries(fields).flatMap(([field, value]) =>
        differences((actual as Record<string, unknown>)[field], value, variables, at ? `${at}.${field}` : field),
      ),
    ];
  }
  return actual === expected ? [] : [`${where} is ${show(actual)}, not ${show(expected)}`];
}

function compareText(actual: unknown, expected: string, variables: Record<string, string>, where: string): string[] {
  if (expected === '<number>') return typeof actual === 'number' ? [] : [`${where} is ${show(actual)}, not a number`];
  if (expected === '<any>') return actual === undefined ? [`${where} is missing`] : [];
  const form = placeholders[expected];
  if (form)
    return typeof actual === 'string' && form.test(actual) ? [] : [`${where} is ${show(actual)}, not ${expected}`];
  const wanted = expected.replace(/\$([A-Z_]+)/g, (text, name: string) => variables[name] ?? text);
  return actual === wanted ? [] : [`${where} is ${show(actual)}, not ${show(wanted)}`];
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? 'missing';
}

/** An answer as an expectation: what is different each time becomes a placeholder. For a first draft that a person reads. */
export function drafted(value: unknown, variables: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => drafted(item, variables));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, drafted(item, variables)]));
  if (typeof value !== 'string') return value;
  const known = Object.entries(variables).find(([, held]) => held === value && held.length > 8);
  if (known) return `$${known[0]}`;
  if (/^req_/.test(value)) return '<request>';
  const fitting = ['<time>', '<date>', '<id>', '<url>'].find((name) => placeholders[name]?.test(value));
  return fitting ?? value;
}
