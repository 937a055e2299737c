import type { Caller } from '@tandem/caller';
import type { Exchange } from '../exchange.ts';
import { GatewayError } from '../http/gateway-error.ts';
import type { GatewayParts } from '../parts.ts';
import type { Route } from '../routes.ts';
import { checkPermission } from './check-permission.ts';
import { actingFor } from './on-behalf-of.ts';

/** The caller that the services see: the credential, and the user on whose behalf a key acts. */
export async function callerOf(exchange: Exchange, parts: GatewayParts): Promise<Caller> {
  const { auth, ip, requestId, request, tenantHost } = exchange;
  const origin = {
    ip,
    requestId,
    userAgent: request.headers['user-agent']?.slice(0, 200),
    ...(tenantHost !== undefined && { host: tenantHost }),
  };
  const target = request.headers['x-on-behalf-of'] as string | undefined;
  if (!auth) return { ...origin, type: 'anonymous', environment: 'live', permissions: [] };
  const { who, by, environment } = auth;
  const acting = await actingFor(target, auth, { ...parts, requestId });
  exchange.actingId = acting?.id;
  if (acting) exchange.headers['X-Acting-User'] = parts.ids.encode('user', who.tenantId, acting.id);
  const usage = by === 'key' ? exchange.usage : undefined;
  return {
    ...origin,
    type: by,
    tenantId: who.tenantId,
    environment,
    name: who.name,
    permissions: who.permissions,
    ...(who.features && { features: who.features }),
    // A caller acting for a user has access to the records of that user and of the user's teams.
    teamIds: (acting ?? who).teamIds,
    ...(who.userId !== null && { userId: who.userId }),
    ...(who.partnerId !== null && { partnerId: who.partnerId }),
    ...(who.portalUserId !== null && { portalUserId: who.portalUserId }),
    ...(who.keyId !== null && { keyId: who.keyId }),
    ...(who.sessionId !== null && { sessionId: who.sessionId }),
    ...(acting && { onBehalfOf: acting.id }),
    ...(usage !== undefined && { usage }),
  };
}

/** Checks that the caller of an open stream still has access to it. */
export async function checkAgain(exchange: Exchange, route: Route, before: Caller, parts: GatewayParts): Promise<void> {
  const { request, ip, requestId } = exchange;
  const auth = await parts.authenticator.authenticate(request, route, ip);
  checkPermission(auth, route);
  const target = request.headers['x-on-behalf-of'] as string | undefined;
  const acting = auth && (await actingFor(target, auth, { ...parts, requestId }));
  if (acting?.id !== before.onBehalfOf) throw new GatewayError('forbidden');
}
