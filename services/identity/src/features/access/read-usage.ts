import type { internalAccess } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readMonth } from './usage.ts';

export const readUsage: Handler<typeof internalAccess.readUsage> = ({ body, tx }) =>
  readMonth(tx, body.tenantId, body.month);
