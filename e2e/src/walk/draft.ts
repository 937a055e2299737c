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
