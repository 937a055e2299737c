import type { internalTenantLife } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readLife } from './life.ts';

export const showTenant: Handler<typeof internalTenantLife.showTenant> = ({ body: { tenantId }, inTenant }) =>
  inTenant({ tenantId, environment: 'live' }, ({ tx }) => readLife(tx, tenantId));
