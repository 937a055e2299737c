import type { Operation } from '@tandem/contract';

/** The parts of a request as a caller gives them. */
export interface Given {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The path of a row with its parameters filled in, and its query. */
export function address(row: Operation, { params, query }: Given): { path: string; search: string } {
  const path = row.path.replace(
    /\/:([a-zA-Z]+)/g,
    (_, field: string) => `/${encodeURIComponent(String(params?.[field]))}`,
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value) search.append(key, String(one));
    else if (typeof value === 'object' && value !== null)
      for (const [inner, one] of Object.entries(value)) search.append(`${key}[${inner}]`, String(one));
    else search.append(key, String(value));
  }
  const text = search.toString();
  return { path, search: text && `?${text}` };
}
