import type { tenants } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { lookUpTenant } from './look-up-tenant.ts';

export const getCurrentTenant: Handler<typeof tenants.getCurrentTenant> = async ({ tx }) => lookUpTenant(tx);
