import { fillPath, type Operation } from '@tandem/contract';

/** The parts of a request as a caller passes them. */
export interface RequestParts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Builds the path of a row with its parameters filled in, and its query string. */
export function address(row: Operation, { params, query }: RequestParts): { path: string; search: string } {
  const path = fillPath(row.path, (field) => encodeURIComponent(String(params?.[field])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) search.append(key, String(item));
    else if (typeof value === 'object' && value !== null)
      for (const [property, item] of Object.entries(value)) search.append(`${key}[${property}]`, String(item));
    else search.append(key, String(value));
  }
  const text = search.toString();
  return { path, search: text && `?${text}` };
}
