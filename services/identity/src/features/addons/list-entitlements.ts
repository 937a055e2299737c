import type { entitlements } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { entitlementsOf } from './entitlements.ts';
import { readSituation } from './get-entitlement.ts';

export const listEntitlements =
  ({ seal }: Tools): Handler<typeof entitlements.listEntitlements> =>
  async ({ caller, tx }) =>
    entitlementsOf(await readSituation(tx, caller), seal);
