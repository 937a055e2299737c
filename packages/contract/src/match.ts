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
 * parameters, and these over the rest of a path (`/*path`), among the paths that allow the method; percent-encoding is
 * decoded.
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
    const sought = method === 'HEAD' ? 'GET' : method;
    const at = walk({ segments, values, accepts: ({ byMethod }) => byMethod.has(sought) }, root);
    if (at) return { found: at.byMethod.get(sought) as T, values };
    const allowed = allowedMethods(root, segments);
    return allowed.length ? { allowed } : undefined;
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

interface Walk<T> {
  segments: readonly string[];
  /** The values of the parameters on the way. */
  values: string[];
  accepts(end: Node<T>): boolean;
}

function walk<T>(path: Walk<T>, at: Node<T>, index = 0): Node<T> | undefined {
  const { segments, values, accepts } = path;
  if (index === segments.length) return accepts(at) ? at : undefined;
  const segment = segments[index] as string;
  const fixed = at.literals.get(segment);
  const found = fixed && walk(path, fixed, index + 1);
  if (found || segment === '') return found;
  if (at.param) {
    values.push(segment);
    const byParam = walk(path, at.param, index + 1);
    if (byParam) return byParam;
    values.pop();
  }
  if (!at.rest || !accepts(at.rest)) return undefined;
  values.push(segments.slice(index).join('/'));
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

/** The methods of all entries with a path; empty for an unknown path. */
function allowedMethods<T>(root: Node<T>, segments: readonly string[]): string[] {
  const methods = new Set<string>();
  const collect = ({ byMethod }: Node<T>): boolean => {
    for (const method of byMethod.keys()) methods.add(method);
    return false;
  };
  walk({ segments, values: [], accepts: collect }, root);
  if (!methods.size) return [];
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}
