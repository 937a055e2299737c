import { isOfPlatform } from '@tandem/contract';
import type { Tables } from '@tandem/testing';
import type { Direct } from './direct.ts';
import type { Position } from './positions.ts';
import type { World } from './world.ts';

/** To whom a record belongs that the caller must not reach. */
export type Owner = 'another tenant' | 'the other environment';

/** Why a position accepts records of another owner, and what proves the reason. */
interface Exemption {
  owner?: Owner;
  because: string;
  /** Whether the reason still holds. */
  holds(position: Position, proof: Proof): boolean | Promise<boolean>;
}

interface Proof {
  own: World;
  sandbox: World;
  direct: Direct;
  tables: Record<string, Tables>;
}

const ofPlatform: Exemption = {
  because: 'the record belongs to the platform and is the same for every tenant',
  holds: ({ type }) => isOfPlatform(type),
};

const onAnyTenant: Exemption = {
  because: 'the gateway or an operator names the tenant to work on, and nobody else can call the operation',
  holds: async (position, proof) => position.type === 'tenant' && (await isForServicesOnly(position, proof)),
};

const ofCaller: Exemption = {
  because:
    'identity does not store partners: only the service that owns them calls the operation, with ids it has read',
  holds: async (position, proof) =>
    !(`public.${position.type}` in (await (proof.tables[position.service] as Tables).states())) &&
    (await isForServicesOnly(position, proof)),
};

const namesEnvironment: Exemption = {
  owner: 'the other environment',
  because: 'the gateway has only the token of the session, so the answer says which environment the session belongs to',
  async holds({ row }, { sandbox, direct }) {
    const body = { tenantId: String(sandbox.scope.tenantId), sessionId: String(sandbox.records.session) };
    return (await direct.call(row.id, { body }, undefined)).environment === 'sandbox';
  },
};

/** Positions in which a record of another owner is not tested. */
export const exemptions: Readonly<Record<string, Exemption>> = {
  'getAddonCatalogItem params.addonId': ofPlatform,
  'installAddon params.addonId': ofPlatform,
  'listTenants body.after': onAnyTenant,
  'openPortalSession body.partnerId': ofCaller,
  'openPortalSession body.portalUserId': ofCaller,
  'readUsage body.tenantId': onAnyTenant,
  'recordUsage body.calls.*.tenantId': onAnyTenant,
  'rehashAddresses body.after': onAnyTenant,
  'reportUsage body.served.*.tenantId': onAnyTenant,
  'resolveSession body.sessionId': namesEnvironment,
  'setTenantPlan body.tenantId': onAnyTenant,
  'verifyAuditChain body.tenantId': onAnyTenant,
};

/** Whether no tenant's user can call an operation, whatever their permissions. */
async function isForServicesOnly({ row }: Position, { own, direct }: Proof): Promise<boolean> {
  const { tenantId, userId } = own.scope;
  const asOwner = { type: 'user', tenantId, userId, permissions: ['*'] } as const;
  const { status } = await direct.send(row, { body: {} }, own.scope, asOwner);
  return row.audience === 'internal' && status === 403;
}
