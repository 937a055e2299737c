import type { internalTenantLife } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { deleteTenant } from './delete-tenant.ts';
import { resumeTenant } from './resume-tenant.ts';
import { showTenant } from './show-tenant.ts';
import { suspendTenant } from './suspend-tenant.ts';

export const tenantLifeHandlers = (tools: Tools) =>
  ({
    suspendTenant: suspendTenant(tools),
    resumeTenant: resumeTenant(tools),
    deleteTenant: deleteTenant(tools),
    showTenant,
  }) satisfies Handlers<typeof internalTenantLife, Tx>;
