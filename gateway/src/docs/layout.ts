// Long lists of short entries are written with several entries per line.
const filledKeys = new Set(['example', 'examples', 'headers', 'responses', 'parameters', 'enum', 'required']);

interface Layout {
  /** The length of a line. */
  width: number;
  /** Whether each line holds as many entries as fit, instead of one. */
  isFilled: boolean;
}

/**
 * Formats JSON for reading and diffs: a value that fits in one line is written in one line. Otherwise the committed
 * document would have three times as many lines.
 */
export function laidOut(value: unknown, { width = 170, isFilled = false }: Partial<Layout> = {}): string {
  return lines(value, '', { width, isFilled });
}

function lines(value: unknown, indent: string, layout: Layout): string {
  const { width, isFilled } = layout;
  const text = inOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + text.length <= width) return text;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((item) => lines(item, inner, layout))
    : Object.entries(value).map(
        ([key, item]) =>
          `${JSON.stringify(key)}: ${lines(item, inner, { width, isFilled: isFilled || filledKeys.has(key) })}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const body = (isFilled ? filled(entries, width - inner.length) : entries).map((entry) => inner + entry);
  return `${open}\n${body.join(',\n')}\n${indent}${close}`;
}

/** Joins entries to lines of at most the given length. */
function filled(entries: string[], space: number): string[] {
  const joined: string[] = [];
  for (const entry of entries) {
    const together = `${joined.at(-1)}, ${entry}`;
    const fits = joined.length > 0 && !together.includes('\n') && together.length <= space;
    if (fits) joined[joined.length - 1] = together;
    else joined.push(entry);
  }
  return joined;
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`);
  return entries.length ? `{ ${entries.join(', ')} }` : '{}';
}
