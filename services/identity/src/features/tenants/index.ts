import type { internalAdmin, internalTenantSlugs, internalTenants, tenants } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createTenant } from './create-tenant.ts';
import { findTenantBySlug } from './find-tenant-by-slug.ts';
import { getCurrentTenant } from './get-current-tenant.ts';
import { getTenant } from './get-tenant.ts';
import { listPlans } from './list-plans.ts';
import { listTenants } from './list-tenants.ts';
import { readTenantSettings } from './read-tenant-settings.ts';
import { setTenantPlan } from './set-tenant-plan.ts';
import { updateCurrentTenant } from './update-current-tenant.ts';

export const tenantHandlers = (tools: Tools) =>
  ({
    createTenant: createTenant(tools),
    getCurrentTenant,
    updateCurrentTenant,
    getTenant,
    listPlans,
    setTenantPlan: setTenantPlan(tools),
    listTenants,
    readTenantSettings,
    findTenantBySlug,
  }) satisfies Handlers<
    typeof tenants &
      typeof internalTenants &
      typeof internalTenantSlugs &
      Pick<typeof internalAdmin, 'setTenantPlan' | 'listTenants'>,
    Tx
  >;
