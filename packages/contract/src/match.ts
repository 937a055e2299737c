/** The entry with the matched method and path, or the methods that the path allows. */
type PathMatch<T> = { found: T; values: string[] } | { allowed: string[] };

interface Node<T> {
  literals: Map<string, Node<T>>;
  param?: Node<T>;
  /** Matches one or more last segments. */
  rest?: Node<T>;
  byMethod: Map<string, T>;
}

/**
 * Compiles the paths of operations into a matcher, which returns undefined for an unknown path. Literal segments win over
 * parameters, and these over the rest of a path (`/*path`); percent-encoding is decoded.
 * @throws Error when two entries have the same method and path
 */
export function compilePaths<T>(
  entries: Iterable<{ method: string; path: string; value: T }>,
): (method: string, path: string) => PathMatch<T> | undefined {
  const root = node<T>();
  for (const { method, path, value } of entries) {
    let at = root;
    for (const segment of path.split('/').slice(1)) at = next(at, segment);
    if (at.byMethod.has(method)) throw new Error(`${method} ${path} is declared twice`);
    at.byMethod.set(method, value);
  }
  return (method, path) => {
    const segments = path.split('/').slice(1);
    if (path.includes('%') && !decodeAll(segments)) return undefined;
    const values: string[] = [];
    const at = walk(root, segments, 0, values);
    if (!at) return undefined;
    const found = at.byMethod.get(method === 'HEAD' ? 'GET' : method);
    return found === undefined ? { allowed: allowed(at) } : { found, values };
  };
}

function node<T>(): Node<T> {
  return { literals: new Map(), byMethod: new Map() };
}

function next<T>(at: Node<T>, segment: string): Node<T> {
  if (segment.startsWith(':')) {
    at.param ??= node();
    return at.param;
  }
  if (segment.startsWith('*')) {
    at.rest ??= node();
    return at.rest;
  }
  const child = at.literals.get(segment) ?? node();
  at.literals.set(segment, child);
  return child;
}

function walk<T>(at: Node<T>, segments: string[], index: number, values: string[]): Node<T> | undefined {
  if (index === segments.length) return at.byMethod.size ? at : undefined;
  const segment = segments[index] as string;
  const fixed = at.literals.get(segment);
  const found = fixed && walk(fixed, segments, index + 1, values);
  if (found || segment === '') return found;
  if (at.param) {
    values.push(segment);
    const byParam = walk(at.param, segments, index + 1, values);
    if (byParam) return byParam;
    values.pop();
  }
  if (at.rest) values.push(segments.slice(index).join('/'));
  return at.rest;
}

function decodeAll(segments: string[]): boolean {
  try {
    for (const [index, segment] of segments.entries()) segments[index] = decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

function allowed<T>({ byMethod }: Node<T>): string[] {
  const methods = [...byMethod.keys()];
  return [...methods, ...(byMethod.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}
