import type { Caller } from '@tandem/caller';
import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { GatewayError } from './http/gateway-error.ts';
import type { GatewayParts } from './parts.ts';
import type { Route } from './routes.ts';

/**
 * The query of a list with the parameters of the view that `view=<id>` names; those of the request override them. Views
 * contain public ids, so they are merged before the ids are decoded. Identity is asked each time: a change of a view has
 * effect at once.
 * @throws GatewayError 422 for a view that the caller does not see, or of another list
 */
export async function applyView(
  { viewResource }: Route,
  search: string,
  caller: Caller,
  { ids, views }: Pick<GatewayParts, 'ids' | 'views'>,
): Promise<string> {
  // Avoids parsing the query of requests without `view`, which are most.
  if (viewResource === undefined || !search.includes('view=')) return search;
  const query = new URLSearchParams(search);
  const code = query.get('view');
  if (code === null) return search;
  query.delete('view');
  const id = ids.decode('view', caller.tenantId, code);
  const view = id === undefined ? undefined : await findView(id, caller, views);
  if (!view) throw refused(unknownId('view'));
  if (view.resource !== viewResource)
    throw refused(`Must be a view of ${viewResource}; this one is of ${view.resource}`);
  for (const [name, value] of new URLSearchParams(view.search)) if (!query.has(name)) query.set(name, value);
  return `?${query}`;
}

function findView(id: number, caller: Caller, views: GatewayParts['views']) {
  return orAbsent(views.findView({ params: { id }, as: caller })).catch((error: unknown) => {
    if (error instanceof ServiceCallError) throw new GatewayError('unavailable', { retryAfter: 1 });
    throw error;
  });
}

function refused(message: string): GatewayError {
  return new GatewayError('validation_failed', { errors: [{ field: 'view', message }] });
}
