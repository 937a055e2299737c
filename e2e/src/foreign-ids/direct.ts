import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { fillPath, isOfJob, jobOf, type Operation } from '@tandem/contract';
import { fleet as contracts } from '@tandem/gateway/contracts';
import type { TestFleet } from '@tandem/test-fleet';

/** Parts of a request; ids are decimal strings, as between gateway and service. */
export interface DirectRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  form?: FormData;
}

export interface DirectAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects.
  body: any;
}

/** A tenant in one environment, and who calls in it. */
export interface Scope {
  tenantId: number;
  environment: Caller['environment'];
  userId: number;
  /** For the operations of the portal. */
  partnerId?: number;
  portalUserId?: number;
}

/**
 * Calls services without the gateway, with the signature of the gateway. The gateway rejects the ids of other tenants
 * when it decodes them; without it, the checks of the services themselves are tested.
 */
export interface Direct {
  /** Sends a request of an operation, by the kind of caller that its audience needs. */
  send(row: Operation, request: DirectRequest, scope: Scope | undefined, more?: Partial<Caller>): Promise<DirectAnswer>;
  /**
   * Sends a request that must succeed.
   * @returns `data` of the answer
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  call(id: string, request: DirectRequest, scope: Scope | undefined, more?: Partial<Caller>): Promise<any>;
}

export function directCalls(fleet: TestFleet): Direct {
  const { INTERNAL_SECRETS } = fleet.environment['gateway'] as Record<string, string>;
  const signer = createCallerSigner(INTERNAL_SECRETS as string);
  const services = new Map(
    Object.entries(contracts).flatMap(([service, rows]) => Object.keys(rows).map((id) => [id, service] as const)),
  );
  const send: Direct['send'] = async (row, { params, query, body, form }, scope, more) => {
    const path = fillPath(row.path, (field) => params?.[field]);
    // As in the gateway.
    const service = (isOfJob(row) ? jobOf(Number(params?.id))?.service : undefined) ?? services.get(row.id);
    const { PORT } = fleet.environment[service as string] as Record<string, string>;
    const caller = { ...callerOf(row, scope), ...more };
    const response = await fetch(`http://127.0.0.1:${PORT}${path}?${new URLSearchParams(query)}`, {
      method: row.method,
      headers: {
        [callerHeader]: signer.sign(caller, row.method, path),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: form ?? (body ? JSON.stringify(body) : null),
    });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: isJson ? await response.json() : { text: await response.text() } };
  };
  return {
    send,
    async call(id, request, scope, more) {
      const row = (contracts[services.get(id) as keyof typeof contracts] as unknown as Record<string, Operation>)[id];
      const { status, body } = await send(row as Operation, request, scope, more);
      if (status >= 400) throw new Error(`${id} returned ${status}: ${JSON.stringify(body)}`);
      return body.data;
    },
  };
}

function callerOf({ audience }: Operation, scope: Scope | undefined): Caller {
  const { environment = 'live', tenantId, userId, partnerId, portalUserId } = scope ?? ({} as Partial<Scope>);
  const base = { environment, requestId: 'foreign-ids' };
  const inTenant = { ...base, ...(tenantId !== undefined && { tenantId }) };
  if (audience === 'public') return { ...base, type: 'anonymous', ip: '203.0.113.7', permissions: [] };
  // Operations that the gateway calls apply the permissions of the calling user, and read records of that user.
  const person = { permissions: ['*'], ...(userId !== undefined && { userId }) };
  if (audience === 'internal') return { ...inTenant, type: 'system', name: 'e2e', ...person };
  if (audience === 'portal')
    return { ...inTenant, type: 'portal', permissions: [], ...(partnerId && { partnerId, portalUserId }) } as Caller;
  return { ...inTenant, type: 'user', ...person };
}
