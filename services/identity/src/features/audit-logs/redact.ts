const secretNames = /password|secret|token|^hash$|api_?key|full_?key|credential|private_?key|authorization|cookie/i;
const depthMax = 8;

/** Copies a value without secrets and without text that PostgreSQL rejects, so that any event can be stored. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax) return '[too deep]';
  if (Array.isArray(value)) return value.map((one) => redacted(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      storable(key),
      secretNames.test(key) ? hidden(inner) : redacted(inner, depth + 1),
    ]),
  );
}

/** Keeps the from/to shape of a secret, so that the entry still shows that it changed. */
function hidden(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return { from: '[redacted]', to: '[redacted]' };
  return '[redacted]';
}

/** Removes what PostgreSQL cannot store: NUL characters and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
